"""Names that Perl brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    abs accept alarm atan2 bind binmode bless caller chdir chmod chomp chop chown chr chroot close closedir connect cos
    croak carp confess cluck crypt defined delete die dump each eof eval exec exists exit exp fcntl fileno flock fork
    format formline getc glob gmtime grep hex import index int ioctl join keys kill last lc lcfirst length link listen
    local localtime log lstat map mkdir next no oct open opendir ord pack pipe pop pos print printf prototype push
    quotemeta rand read readdir readline readlink recv redo ref rename require reset return reverse rewinddir rindex
    rmdir say scalar seek seekdir select shift shutdown sin sleep socket sort splice split sprintf sqrt srand stat
    state study sub substr symlink syscall sysopen sysread sysseek system syswrite tell telldir tie tied time times
    truncate uc ucfirst umask undef unlink unpack unshift untie use utime values vec wait waitpid wantarray warn write
    ok is isnt is_deeply like unlike cmp_ok can_ok isa_ok pass fail diag note plan done_testing subtest skip BAIL_OUT
    use_ok require_ok lives_ok dies_ok throws_ok extends with has around before after override augment inner
    """
)
COMMON_MEMBERS = (
    EVERYWHERE
    | BUILTINS
    | words(
        """
    AUTOLOAD BUILD BUILDARGS DESTROY DOES VERSION args as_string autoflush bindir body can code content content_type
    cookie dbh do errstr execute fetchrow_array fetchrow_arrayref fetchrow_hashref file finish headers import isa
    lookup method meta new opened param params prepare printf res req selectall_arrayref selectrow_array stash
    stringify unimport uri user
    """
    )
)
