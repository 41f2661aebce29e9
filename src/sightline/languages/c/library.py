"""Names that C and C++ brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    abort abs accept access assert atoi bind bsearch calloc close connect exit fclose fcntl fflush fgets fopen fprintf
    fputs fread free fseek fstat ftell fwrite getenv getpid ioctl isdigit isspace kill listen longjmp lseek malloc
    memchr memcmp memcpy memmove memset mmap munmap open perror pipe poll printf pthread_create pthread_join
    pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock puts qsort raise read realloc recv recvmsg select send
    sendmsg setjmp setsockopt shutdown sigaction signal snprintf socket sprintf sscanf stat strcat strchr strcmp
    strcpy
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
    what width write
    """
)
