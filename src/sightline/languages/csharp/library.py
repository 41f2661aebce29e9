"""Names that C# brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words("nameof typeof sizeof default stackalloc checked unchecked")
COMMON_MEMBERS = frozenset(name[:1].upper() + name[1:] for name in EVERYWHERE) | words(
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
# What values of the library are besides: an extension of the latter is one of the former, too.
EXTERNAL_BASES = {
    "string": ("String", "IEnumerable"),
    "String": ("string", "IEnumerable"),
    "int": ("Int32",),
    "long": ("Int64",),
    "bool": ("Boolean",),
    "double": ("Double",),
    "decimal": ("Decimal",),
    "Array": ("IList", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "IEnumerable"),
    "List": ("IList", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "IEnumerable"),
    "IList": ("ICollection", "IEnumerable"),
    "ICollection": ("IEnumerable",),
    "IReadOnlyList": ("IReadOnlyCollection", "IEnumerable"),
    "IReadOnlyCollection": ("IEnumerable",),
    "HashSet": ("ISet", "ICollection", "IEnumerable"),
    "ISet": ("ICollection", "IEnumerable"),
    "Dictionary": ("IDictionary", "IReadOnlyDictionary", "ICollection", "IEnumerable"),
    "IDictionary": ("ICollection", "IEnumerable"),
    "IReadOnlyDictionary": ("IEnumerable",),
    "IQueryable": ("IEnumerable",),
    "StringReader": ("TextReader",),
    "StreamReader": ("TextReader",),
    "StringWriter": ("TextWriter",),
    "StreamWriter": ("TextWriter",),
    "MemoryStream": ("Stream",),
    "FileStream": ("Stream",),
}
