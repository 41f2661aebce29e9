"""Names of methods that the libraries of most languages bring along.

When nothing is known about a receiver, a call of `append` or `map` is most likely one of these and not the method of
that name which the root happens to define; such a name alone never makes an edge. What a language adds stands in its
folder's `library.py`.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


# Names that mean the same in most languages.
EVERYWHERE = words(
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
