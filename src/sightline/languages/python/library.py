"""What is known of Python's standard library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sightline.languages.library import words
from sightline.languages.values import External, Parts

if TYPE_CHECKING:
    from sightline.languages.values import Values

# Of every Python from 3.11 to 3.13, so that what an index says does not depend on the one that runs Sightline.
BUILTINS = words(
    """
    __build_class__ __debug__ __doc__ __import__ __loader__ __name__ __package__ __spec__ _IncompleteInputError abs
    aiter all anext any ArithmeticError ascii AssertionError AttributeError BaseException BaseExceptionGroup bin
    BlockingIOError bool breakpoint BrokenPipeError BufferError bytearray bytes BytesWarning callable
    ChildProcessError chr classmethod compile complex ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError copyright credits delattr DeprecationWarning dict dir divmod Ellipsis EncodingWarning
    enumerate EnvironmentError EOFError eval Exception ExceptionGroup exec exit False FileExistsError
    FileNotFoundError filter float FloatingPointError format frozenset FutureWarning GeneratorExit getattr globals
    hasattr hash help hex id ImportError ImportWarning IndentationError IndexError input int InterruptedError
    IOError IsADirectoryError isinstance issubclass iter KeyboardInterrupt KeyError len license list locals
    LookupError map max MemoryError memoryview min ModuleNotFoundError NameError next None NotADirectoryError
    NotImplemented NotImplementedError object oct open ord OSError OverflowError PendingDeprecationWarning
    PermissionError pow print ProcessLookupError property PythonFinalizationError quit range RecursionError
    ReferenceError repr ResourceWarning reversed round RuntimeError RuntimeWarning set setattr slice sorted
    staticmethod StopAsyncIteration StopIteration str sum super SyntaxError SyntaxWarning SystemError SystemExit
    TabError TimeoutError True tuple type TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError
    UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError vars Warning ZeroDivisionError zip
    """
)
MODULES = words(
    """
    __future__ _abc _aix_support _android_support _ast _asyncio _bisect _blake2 _bootsubprocess _bz2 _codecs
    _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections _collections_abc _colorize
    _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal
    _elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _imp _interpchannels
    _interpqueues _interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec
    _multiprocessing _opcode _opcode_metadata _operator _osx_support _overlapped _pickle _posixshmem
    _posixsubprocess _py_abc _pydatetime _pydecimal _pyio _pylong _pyrepl _queue _random _scproxy _sha1 _sha2
    _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime
    _struct _suggestions _symtable _sysconfig _thread _threading_local _tkinter _tokenize _tracemalloc _typing _uuid
    _warnings _weakref _weakrefset _winapi _wmi _zoneinfo abc aifc antigravity argparse array ast asynchat asyncio
    asyncore atexit audioop base64 bdb binascii bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs
    codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg cProfile
    crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip
    enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass
    gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io
    ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes
    mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator
    optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath
    pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib
    resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr
    socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep
    struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this
    threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types
    typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib
    xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
    """
)
AWAITABLES = words("Awaitable Coroutine Future Promise Task")
# Names of members of built-in and standard-library types (texts, containers, numbers, files, threads, loggers,
# patterns, paths, times and errors, as of 3.11): a receiver of unknown type most likely is one of those.
COMMON_MEMBERS = words(
    """
    __abs__ __abstractmethods__ __add__ __and__ __annotations__ __base__ __bases__ __basicsize__ __bool__ __bytes__
    __call__ __cause__ __ceil__ __class__ __class_getitem__ __contains__ __context__ __copy__ __deepcopy__ __del__
    __delattr__ __delitem__ __dict__ __dictoffset__ __dir__ __divmod__ __doc__ __enter__ __eq__ __exit__ __flags__
    __float__ __floor__ __floordiv__ __format__ __fspath__ __ge__ __getattribute__ __getformat__ __getitem__
    __getnewargs__ __getstate__ __gt__ __hash__ __iadd__ __iand__ __imul__ __index__ __init__ __init_subclass__
    __instancecheck__ __int__ __invert__ __ior__ __isub__ __itemsize__ __iter__ __ixor__ __le__ __len__ __lshift__
    __lt__ __mod__ __module__ __mro__ __mul__ __name__ __ne__ __neg__ __new__ __next__ __or__ __pos__ __pow__
    __prepare__ __qualname__ __radd__ __rand__ __rdivmod__ __reduce__ __reduce_ex__ __repr__ __reversed__
    __rfloordiv__ __rlshift__ __rmod__ __rmul__ __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rsub__
    __rtruediv__ __rxor__ __setattr__ __setitem__ __setstate__ __sizeof__ __slots__ __str__ __sub__
    __subclasscheck__ __subclasses__ __subclasshook__ __suppress_context__ __text_signature__ __traceback__
    __truediv__ __trunc__ __weakref__ __weakrefoffset__ __xor__ _bootstrap _bootstrap_inner _cached_cparts
    _checkClosed _checkReadable _checkSeekable _checkWritable _CHUNK_SIZE _cparts _delete _drv _finalizing
    _format_parsed_parts _from_parsed_parts _from_parts _hash _initialized _log _make_child _make_child_relpath
    _parse_args _parts _pparts _reset_internal_locks _root _scandir _set_ident _set_native_id _set_tstate_lock _stop
    _str _wait_for_tstate_lock absolute add add_note addFilter addHandler anchor append args as_integer_ratio
    as_posix as_uri astimezone bit_count bit_length buffer callHandlers capitalize casefold center chmod clear close
    closed combine conjugate copy count critical ctime cwd daemon date day debug decode denominator detach
    difference difference_update discard drive dst encode encoding end endpos endswith error errors exception exists
    expand expandtabs expanduser extend fatal fileno filter find findall findCaller finditer flags flush fold format
    format_map from_bytes fromhex fromisocalendar fromisoformat fromkeys fromordinal fromtimestamp fullmatch get
    getbuffer getChild getEffectiveLevel getName getvalue glob group groupdict groupindex groups handle hardlink_to
    hasHandlers hex home hour ident imag index info insert intersection intersection_update is_absolute is_alive
    is_block_device is_char_device is_dir is_fifo is_file is_integer is_mount is_relative_to is_reserved is_socket
    is_symlink isalnum isalpha isascii isatty isDaemon isdecimal isdigit isdisjoint isEnabledFor isidentifier
    islower isnumeric isocalendar isoformat isoweekday isprintable isspace issubset issuperset istitle isupper items
    iterdir join joinpath keys lastgroup lastindex lchmod line_buffering link_to ljust log lower lstat lstrip
    makeRecord maketrans manager match max microsecond min minute mkdir month mro name native_id newlines now
    numerator open owner parent parents partition parts pattern pop popitem pos re read read1 read_bytes read_text
    readable readinto readinto1 readline readlines readlink real reconfigure regs relative_to remove removeFilter
    removeHandler removeprefix removesuffix rename replace resolution resolve reverse rfind rglob rindex rjust rmdir
    root rpartition rsplit rstrip run samefile scanner search second seek seekable setDaemon setdefault setLevel
    setName sort span split splitlines start startswith stat stem strftime string strip strptime sub subn suffix
    suffixes swapcase symlink_to symmetric_difference symmetric_difference_update tell time timestamp timetuple
    timetz title to_bytes today toordinal touch translate truncate tzinfo tzname union unlink update upper
    utcfromtimestamp utcnow utcoffset utctimetuple values warn warning weekday with_name with_stem with_suffix
    with_traceback writable write write_bytes write_text write_through writelines year zfill
    """
)

_RESULTS = {
    "values": -1, "get": -1, "pop": -1, "setdefault": -1, "popitem": -1, "__getitem__": -1,
    "popleft": 0, "copy": None, "__iter__": None,
}  # fmt: skip


def external_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What function types and the methods of built-in containers give, from their type arguments."""
    if not arguments:
        return None
    container, _, method = name.rpartition(".")
    if name == "Callable":
        return tuple(arguments[-1])
    if method == "values":
        return (External("Iterator", (arguments[-1],)),)
    if method == "items" and len(arguments) > 1:
        return (External("Iterator", ((Parts((arguments[0], arguments[1])),),)),)
    if method == "keys":
        return (External("Iterator", (arguments[0],)),)
    if method in _RESULTS:
        index = _RESULTS[method]
        return (External(container, arguments),) if index is None else tuple(arguments[index])
    return None
