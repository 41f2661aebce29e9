"""Names of methods that the libraries of a language bring along.

When nothing is known about a receiver, a call of `append` or `map` is most likely one of these and not the method of
that name which the root happens to define; such a name alone never makes an edge.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names that mean the same in most languages.
EVERYWHERE = _words(
    """
    add addAll all any append apply at call cancel ceil charAt check chunk clear clone close collect compare compute
    concat connect contains copy count create data delete describe destroy detach disconnect dispose drop dump each
    emit empty enable encode decode end ended endsWith entries enumerate equals error eq exec execute exists exit exp
    extend fail fetch fill filter finalize find findAll finish first flat flatMap flatten floor flush fold forEach
    format from get getName getValue group handle has hash head id index indexOf info init insert invoke isEmpty item
    items iter iterator join key keys kind last len length level limit line lines list listen load lock log lower main
    make map mapTo match max merge message min move name new next none notify of off offset on open option order pad
    parse path peek perform poll pop post prepare prepend print process publish pull push put query range raw read
    readLine receive record recv reduce refresh register release reload remove removeAll render repeat replace reply
    report request require reset resize resolve response restart resume retry return reverse rewind root round run
    save scan schedule search seek select send set setName setValue setup shift show shutdown size skip sleep slice
    some sort source split spawn start startsWith state status step stop store stream string sub submit substring sum
    swap sync tail take tap test text then throw time to toArray toList toLower toString toUpper token top trim type
    uniq unlock unwrap update upper url use validate value valueOf values verify visit wait warn warning with work
    wrap write yield zip
    """
)
SWIFT_MEMBERS = EVERYWHERE | _words(
    """
    absoluteString advanced allSatisfy appending appendingPathComponent async asyncAfter assign base64EncodedString
    cancel compactMap components contains dataTask date decode deletingLastPathComponent distance dropFirst dropLast
    encode enter fileExists firstIndex flatMap formUnion fulfill hasPrefix hasSuffix hash index insert intersection
    invalidate joined leave lowercased makeIterator mapError mapValues max min notify perform popLast prefix
    randomElement receive reduce removeAll removeFirst removeLast removeValue replaceSubrange replacingOccurrences
    reserveCapacity resume reversed setValue signal sink sorted starts store string subscribe subtracting suffix
    suspend swapAt symmetricDifference sync trimmingCharacters union uppercased wait withCheckedContinuation
    withLock withUnsafeBytes write addSubview addOperation dismiss present reloadData setTitle init evaluate
    """
)
RUST_BUILTINS = _words(
    """
    assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq debug_assert_ne env
    eprint eprintln file format format_args include include_bytes include_str line matches module_path option_env
    panic
    print println stringify thread_local todo unimplemented unreachable vec write writeln try_join join select pin
    Some None Ok Err Box Vec String drop info warn error debug trace span event bitflags lazy_static quote
    parse_quote json ready
    """
)
RUST_MEMBERS = EVERYWHERE | _words(
    """
    abs accept all_consuming and and_then any as_any as_bytes as_deref as_mut as_mut_slice as_ptr as_ref as_slice
    as_str
    as_string await binary_search borrow borrow_mut by_ref bytes capacity chain chars checked_add checked_sub chunks
    clone_from cloned cmp collect compare_exchange contains_key context copied copy_from_slice count cycle dedup
    default deref deref_mut deserialize difference display downcast downcast_ref drain duration_since elapsed
    ends_with entry enumerate expect expect_err expose extend extend_from_slice fetch_add file_name filter_map
    find_map
    finish first_mut flat_map flatten fmt fold for_each from_str from_utf8 get_mut get_or_insert_with get_ref
    get_unchecked hash insert_str inspect intersection into into_boxed_slice into_bytes into_inner into_iter
    into_string
    is_alphabetic is_alphanumeric is_ascii is_digit is_empty is_err is_file is_none is_ok is_some is_dir is_whitespace
    iter iter_mut join keys last_mut leak lines lock map_err map_or map_or_else map_while next_back nth ok ok_or
    ok_or_else or or_default or_else or_insert or_insert_with parent partial_cmp partition peekable pin poll_next
    pop_front position product push_back push_front push_str read_exact read_line read_to_end read_to_string recv
    reserve resize retain rev rfind rsplit saturating_sub serialize skip_while sort_by sort_by_key sort_unstable
    split_at split_first split_off split_whitespace splice splitn starts_with step_by strip_prefix strip_suffix
    sum swap_remove take_while then_some to_ascii_lowercase to_bytes to_le_bytes to_lowercase to_owned to_path_buf
    to_string to_str to_uppercase to_vec to_string_lossy trim_end trim_start truncate try_from try_into try_lock
    try_recv try_send unwrap unwrap_err unwrap_or unwrap_or_default unwrap_or_else upgrade downgrade values_mut
    windows with_capacity wrapping_add write_all write_fmt write_str zip poll_ready poll_flush extension method uri
    headers headers_mut body into_body into_parts extensions extensions_mut status_mut serialize_str
    serialize_struct serialize_seq
    deserialize_any visit_str visit_map span to_tokens as_u64 as_i64 as_f64 as_object as_array
    """
)
CSHARP_BUILTINS = _words("nameof typeof sizeof default stackalloc checked unchecked")
CSHARP_MEMBERS = frozenset(name[:1].upper() + name[1:] for name in EVERYWHERE) | _words(
    """
    AddRange Aggregate AppendFormat AppendLine Append AsSpan AsQueryable Average BeginInvoke BinarySearch Cast Clone
    CompareTo Concat ConfigureAwait ContainsKey ConvertAll CopyTo Count CreateInstance DefaultIfEmpty Dequeue
    Deserialize Distinct ElementAt EndInvoke Enqueue EndsWith EnterReadLock Equals Except Exists FirstOrDefault Format
    GetAwaiter GetBytes GetCustomAttribute GetCustomAttributes GetEnumerator GetField GetFields GetGenericArguments
    GetGenericTypeDefinition GetHashCode GetInterfaces GetMember GetMethod GetMethods GetOrAdd GetParameters
    GetProperties GetProperty GetResult GetService GetString GetType GetTypeInfo GroupBy Intersect IndexOfAny
    InsertRange InvokeAsync IsAssignableFrom IsDefined IsInstanceOfType IsMatch IsNullOrEmpty IsSubclassOf
    LastIndexOf LastOrDefault MakeGenericType MoveNext OfType OpenAsync OrderBy OrderByDescending PadLeft PadRight
    Parse Peek Pop Push Read ReadAllText ReadAsync ReadLine ReadToEnd RemoveAt RemoveRange Replace Select SelectMany
    SequenceEqual Serialize SetValue SingleOrDefault Single SkipWhile StartsWith Substring Sum TakeWhile ThenBy
    ToArray
    ToArrayAsync ToBase64String ToCharArray ToDictionary ToHashSet ToList ToListAsync ToLookup ToLower
    ToLowerInvariant ToUpper ToUpperInvariant Trim TrimEnd TrimStart TryAdd TryGetValue TryParse Union Where Write
    WriteAsync WriteLine Zip ExecuteReader ExecuteNonQuery ExecuteScalar CreateCommand Dispose DisposeAsync Cancel
    """
)
KOTLIN_BUILTINS = _words(
    """
    also apply arrayOf arrayListOf assert check checkNotNull coroutineScope emptyList emptyMap emptySet error
    emptyArray hashMapOf hashSetOf intArrayOf joinAll launch lazy let linkedMapOf listOf listOfNotNull longArrayOf
    mapOf maxOf measureTimeMillis minOf mutableListOf mutableMapOf mutableSetOf print println repeat require
    requireNotNull run runBlocking runCatching sequence sequenceOf setOf sortedMapOf suspendCoroutine synchronized
    TODO use with withContext withTimeout async delay byteArrayOf buildList buildString buildMap to flow flowOf
    assertEquals assertTrue assertFalse assertNull assertNotNull assertFailsWith fail IllegalArgumentException
    IllegalStateException
    """
)
KOTLIN_MEMBERS = (
    EVERYWHERE
    | KOTLIN_BUILTINS
    | _words(
        """
    addAll all associate associateBy associateWith asSequence await awaitAll buffered bufferedReader byteInputStream
    charAt chunked coerceAtLeast coerceAtMost compareTo containsKey containsValue copyInto decodeToString distinct
    distinctBy drop dropLast dropWhile encodeToByteArray endsWith filterIsInstance filterNot filterNotNull filterTo
    firstOrNull flatten fold foldRight forEachIndexed getOrDefault getOrElse getOrNull getOrPut groupBy hashCode
    hasNext ifEmpty indexOfFirst intersect invoke invokeOnCompletion isBlank isNotBlank isNotEmpty isNullOrBlank
    isNullOrEmpty joinToString lastIndexOf lastOrNull lowercase mapIndexed mapNotNull mapTo mapValues maxBy minBy
    minus
    none onEach onFailure onSuccess padEnd padStart partition plus plusAssign putAll readBytes readText reduce
    removeAll removeAt removeIf removePrefix removeSuffix retainAll reversed runCatching setOf shuffled single
    singleOrNull sortBy sortWith sorted sortedBy sortedByDescending split splitToSequence startsWith subList
    substringAfter substringAfterLast substringBefore substringBeforeLast sumOf takeLast takeWhile toBoolean
    toByteArray toDouble toInt toIntOrNull toList toLong toLowerCase toMap toMutableList toMutableMap toPair toRegex
    toSet toString toTypedArray trimEnd trimIndent trimMargin trimStart tryEmit trySend union uppercase withIndex
    writeText zip cancelAndJoin complete completeExceptionally getAndIncrement incrementAndGet compareAndSet
    """
    )
)
SCALA_BUILTINS = _words(
    """
    Some None Left Right Nil List Map Set Seq Vector Array Option Future Try Success Failure println print assert
    require implicitly summon sys classOf identity locally synchronized Tuple2 String Int Iterator LazyList Stream
    """
)
SCALA_MEMBERS = KOTLIN_MEMBERS | _words(
    """
    andThen apply asInstanceOf bimap combine combineAll compose compareTo collectFirst contains corresponds cross
    dropRight eqv exists filterNot find flatMap flatTap foldLeft foldMap foldRight forall foreach getClass getOrElse
    groupMap handleError handleErrorWith headOption indexWhere isDefined isDefinedAt isInstanceOf isLeft isRight
    iterator lastOption leftMap lift map2 mapN mapK mkString nonEmpty orElse partitionMap product productL productR
    pure pureEval raiseError recover recoverWith reduceLeft scanLeft sequence sliding some span stripMargin
    stripPrefix stripSuffix sumBy swap tailRecM takeRight tapEach toArray toEither toOption toRight toSeq toVector
    traverse tupled unapply unsafeRunSync unzip updated view void withFilter zipWithIndex
    """
)
PHP_BUILTINS = _words(
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
PHP_MEMBERS = EVERYWHERE | _words(
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
RUBY_BUILTINS = _words(
    """
    abort alias_method at_exit attr_accessor attr_reader attr_writer autoload binding block_given? caller catch
    define_method eval exit extend fail format freeze gets include instance_eval instance_variable_get
    instance_variable_set lambda loop module_function nil? p pp prepend print printf private private_class_method
    private_constant proc protected public public_send puts raise rand require respond_to? send sleep sprintf srand
    super system throw undef_method warn
    """
)
RUBY_MEMBERS = (
    EVERYWHERE
    | RUBY_BUILTINS
    | _words(
        """
    all? any? ancestors basename bytes bytesize call capitalize chars chomp class class_eval class_exec collect
    compact
    concat const_get count cycle default delete delete_if detect dig dirname downcase downto dup each_char each_cons
    each_key each_line each_pair each_slice each_value each_with_index each_with_object empty? encoding
    end_with? entries eql? equal? except exist? expand_path fetch file? find_all find_index first flat_map
    force_encoding freeze frozen? gsub gsub! has_key? hex include? inject inspect instance_exec instance_method
    instance_of?
    instance_variables instance_variable_defined? intern is_a? join key? keys kind_of? last lines lstrip map! match?
    max_by member? members merge! method method_missing methods min_by name new nil? none? object_id one? pack
    partition positive? pred public_method_defined? reject replace respond_to? reverse rindex rstrip scan select
    shift size slice sort_by split squeeze start_with? step strftime strip sub sub! succ sum superclass swapcase sym
    tap times to_a to_ary to_f to_h to_hash to_i to_json to_proc to_r to_s to_str to_sym tr transform_keys
    transform_values unpack unpack1 unshift upcase uniq upto values_at with_index zero? zip must_equal
    body port host scheme path_info headers params session env referer user_agent instrument kill assert_equal
    """
    )
)
C_BUILTINS = _words(
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
CPP_MEMBERS = EVERYWHERE | _words(
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
ELIXIR_FORMS = _words(
    """
    if unless case cond with for try receive raise reraise throw quote unquote unquote_splicing super def defp
    defmacro
    defmacrop defmodule defstruct defexception defdelegate defguard defguardp defprotocol defimpl defoverridable
    import
    alias require use send spawn self is_nil is_atom is_binary is_bitstring is_boolean is_function is_integer is_list
    is_map is_number is_tuple is_float is_pid inspect to_string to_charlist elem hd tl length map_size tuple_size
    byte_size put_in get_in update_in pop_in apply node abs div rem max min round trunc not and or in when fn then tap
    sigil_r sigil_s sigil_w test describe setup setup_all assert refute assert_raise assert_receive refute_receive
    doctest
    """
)
LUA_BUILTINS = _words(
    """
    assert collectgarbage dofile error getmetatable ipairs load loadstring next pairs pcall print rawequal rawget
    rawlen rawset require select setmetatable vim string table math os io debug coroutine package jit bit utf8
    tonumber
    tostring type unpack xpcall describe it before_each after_each
    """
)
LUA_MEMBERS = EVERYWHERE | _words(
    "byte char find format gmatch gsub len lower match rep reverse sub upper insert remove"
)
BASH_COMMANDS = _words(
    """
    alias awk basename bg bind break builtin case cat cd chmod chown command continue cp curl cut date declare diff
    dirname dirs disown do done echo elif else env esac eval exec exit expand export expr false fc fg fi file find
    fold
    for function getopts git grep gunzip gzip hash head help history hostname id if in install jobs join kill let ln
    local ls make mapfile mkdir mktemp mv nl nproc od paste perl popd printf ps pushd pwd python python3 read
    readarray
    readlink readonly realpath return rm rmdir sed select seq set sh shift shopt skip sleep sort source split sudo
    tail
    tar tee test then time times touch tr trap true tty type typeset ulimit umask unalias uname uniq unset until wait
    wc wget which while xargs yes zip
    """
)
ZIG_MEMBERS = EVERYWHERE | _words(
    """
    alloc allocPrint append appendAssumeCapacity appendSlice clearRetainingCapacity create deinit destroy dupe
    ensureTotalCapacity ensureUnusedCapacity eql free getOrPut getPtr initCapacity iterator orderedRemove ptr put
    putAssumeCapacity putNoClobber readAll reader realloc resize swapRemove toOwnedSlice writeAll writeByte writer
    """
)
HASKELL_PRELUDE = _words(
    """
    abs all and any appendFile ceiling concat concatMap const cos curry cycle div drop dropWhile either elem enumFrom
    error even exp filter flip floor fmap foldl foldMap foldr fromEnum fromInteger fromIntegral fst gcd getLine head
    id
    init interact ioError iterate last lcm length lex lines log lookup map mapM mapM_ mappend max maxBound maximum
    maybe mconcat mempty min minBound minimum mod negate not notElem null odd or otherwise pred print product pure
    putStr putStrLn quot read readFile readLn rem repeat replicate return reverse round scanl scanr seq sequence
    sequence_ show showString shows sin snd span splitAt sqrt subtract succ sum tail take takeWhile toEnum toInteger
    traverse truncate uncurry undefined unlines until unwords unzip userError when words writeFile zip zip3 zipWith
    Just Nothing Left Right True False liftA2 forM forM_ unless void liftIO lift
    """
)
DART_BUILTINS = _words("print assert identical List Map Set String int double bool Future Stream Duration DateTime")
DART_MEMBERS = KOTLIN_MEMBERS | _words(
    """
    addListener asMap complete containsKey contains elementAt every expand fillRange firstWhere fold followedBy
    forEach getRange indexWhere insertAll lastWhere noSuchMethod padLeft padRight putIfAbsent removeLast removeRange
    removeWhere replaceAll replaceAllMapped setAll setState singleWhere skipWhile sublist takeWhile toIso8601String
    toJson toLowerCase toSet toUpperCase transform trimLeft trimRight updateAll where whereType
    """
)
