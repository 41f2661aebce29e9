"""Names that C and C++ brings along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sightline.languages.library import EVERYWHERE, words
from sightline.languages.values import External

if TYPE_CHECKING:
    from sightline.languages.values import Values

BUILTINS = words(
    """
    abort abs accept access assert atoi bind bsearch calloc close connect exit fclose fcntl fflush fgets fopen fprintf
    fputs fread free fseek fstat ftell fwrite getenv getpid ioctl isdigit isspace kill listen longjmp lseek malloc
    memchr memcmp memcpy memmove memset mmap munmap open perror pipe poll printf pthread_create pthread_join
    pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock puts qsort raise read realloc recv recvmsg select send
    sendmsg setjmp setsockopt shutdown sigaction signal snprintf socket sprintf sscanf stat strcat strchr strcmp
    strcpy strcasecmp strncasecmp S_ISBLK S_ISCHR S_ISDIR S_ISFIFO S_ISLNK S_ISREG S_ISSOCK
    strdup strerror strlen strncmp strncpy strrchr strstr strtol strtoul time unlink usleep vsnprintf waitpid write
    sizeof offsetof va_start va_end va_arg va_copy defined static_assert alignof decltype noexcept typeid
    """
)
# Macros of <assert.h> that programs define anew; which one is meant is told by what a file includes.
OFTEN_REDEFINED = words("assert static_assert")
COMMON_MEMBERS = EVERYWHERE | words(
    """
    append assign at back begin bucket_count c_str capacity cbegin cend clear compare compare_exchange_strong
    compare_exchange_weak count crbegin data emplace emplace_back empty end equal_range erase exchange fetch_add
    fetch_sub find find_first_of find_last_of first flags flush front get_allocator good has_value imbue insert join
    joinable length load lower_bound max_size merge min notify_all notify_one open pop_back pop_front precision
    push_back push_front rbegin rdbuf read rehash release rend reserve reset resize rfind second shrink_to_fit size
    splice store str substr swap tellg test top try_lock tuple type_info unlock upper_bound use_count value value_or
    what width write operator[] operator operator== operator!= operator< operator> operator<= operator>= operator<=>
    operator+ operator- operator* operator/ operator% operator& operator| operator^ operator~ operator! operator=
    operator+= operator-= operator*= operator/= operator%= operator&= operator|= operator^= operator<< operator>>
    operator<<= operator>>= operator++ operator--
    """
)
PAIR = "pair"
ITERATORS = words("iterator const_iterator reverse_iterator const_reverse_iterator")
NAMESPACES = frozenset({"std", "boost"})
_GIVES_ELEMENT = words("front back at top operator* operator-> value")
_GIVES_ITERATOR = words("begin end cbegin cend rbegin rend find lower_bound upper_bound insert emplace erase")


def external_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What a call on a container of the standard library gives: one of its elements, or an iterator, which is taken
    for the element that it points to."""
    container, _, member = name.rpartition(".")
    if not arguments or member not in _GIVES_ELEMENT | _GIVES_ITERATOR:
        return None
    if not container.endswith("map"):
        return tuple(arguments[0])
    return tuple(arguments[-1]) if member in _GIVES_ELEMENT else (External(PAIR, arguments),)


def external_element(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What iterating over a map gives."""
    return (External(PAIR, arguments),) if name.endswith("map") and len(arguments) > 1 else None


def external_member(name: str, arguments: tuple[Any, ...], member: str) -> Values | None:
    """The two parts of a pair, and the iterator of a container, which is taken for the element that it points to."""
    if member in ITERATORS and arguments:
        return external_element(name, arguments) or tuple(arguments[0])
    if name.rpartition(".")[2] != PAIR or len(arguments) < 2 or member not in ("first", "second"):
        return None
    return tuple(arguments[member == "second"])
