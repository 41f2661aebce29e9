"""Names that PHP brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    abs array_filter array_key_exists array_keys array_map array_merge array_pop array_push array_search array_shift
    array_slice array_unique array_values basename call_user_func ceil class_exists compact count current date define
    defined dirname empty end explode file_exists file_get_contents file_put_contents floor func_get_args
    function_exists get_class gettype hash implode in_array is_array is_callable is_int is_null is_object is_string
    isset json_decode json_encode ksort list max md5 method_exists microtime min mkdir preg_match preg_replace printf
    rand realpath reset round sort sprintf str_repeat str_replace strlen strpos strtolower strtoupper strtr substr
    time
    trim ucfirst unlink unset usort var_dump var_export
    """
)
# What these give is known by the array that they are given first.
SAME_ARRAY = words(
    "array_diff array_filter array_intersect array_merge array_reverse array_slice array_unique array_values"
)
VALUE_OF_ARRAY = words("array_pop array_shift current end next prev reset")
COMMON_MEMBERS = EVERYWHERE | words(
    """
    addArgument addOption assertEquals assertInstanceOf assertSame assertTrue assertFalse assertNull assertCount
    bind bindValue createMock expects method willReturn willReturnCallback will with once never exactly any fetchAll
    fetchColumn getAttribute getCode getConstructor getDescription getFile getId getLine getMessage getMethod
    getMethods getName getNamespaceName getParameters getPrevious getProperties getProperty getShortName getTimestamp
    getTrace getTraceAsString getType hasMethod implementsInterface invokeArgs isInstance isSubclassOf modify
    newInstance newInstanceArgs offsetExists offsetGet offsetSet offsetUnset rewind setAccessible setTimezone
    beginTransaction commit rollBack lastInsertId prepare quote toArray jsonSerialize valid current key count
    setMethods getMock getMockBuilder expectException
    """
)
