"""What a question asks for, without a model.

A table of phrasings, most telling first; each names a kind of question and where its subjects stand. `readings` gives
every reading that fits, the open one last, since whether `X` is a symbol is known only when the index was asked: "what
happens when login runs" is a trace if there is a `login`, and an open question otherwise. Nothing here touches the
index, and any string is legal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sightline.retrieval.research.model import QuestionKind

MAX_PHRASED_CHARS = 300  # a longer text is no phrasing of the table; it is read as an open question
MAX_SUBJECT_WORDS = 5  # a longer phrase is prose, not a name


@dataclass(frozen=True, slots=True)
class Subject:
    """A name in a question, as cleaned of articles and kind words."""

    name: str
    marked: bool  # looks like code or was quoted: a missing symbol is then worth saying, not worth reading as prose
    folder: bool = False  # the question calls it a module, package, folder or file


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a question."""

    kind: QuestionKind
    subjects: tuple[Subject, ...] = ()


_A, _B = r"(?P<a>.+?)", r"(?P<b>.+?)"
_ANYTHING = rf"^{_A}$"
_WHO = (
    r"(?:who|what|which(?: [\w-]+){0,3}?|where|everything(?: that)?|everyone who|anything(?: that)?|any(?: [\w-]+)?|"
    r"all(?: the)?(?: [\w-]+){0,2}?|(?:find|list|show|give)(?: me)?(?: [\w-]+){0,4}?|"
    r"(?:classes|class|types|structs|functions|methods|modules|files|code|places|components|tests|enums|objects)"
    r"(?: (?:that|which|who))?|(?:does|do|did|can|will) "
    r"(?:anything|anyone|anybody|something|someone|somebody|any [\w-]+)|"
    r"is (?:there )?(?:anything|anyone|anybody|something|someone|somebody|any [\w-]+)(?: (?:that|which|who))?)"
)
_VERB_GAP = (
    r"(?: (?:all|directly|indirectly|actually|currently|ever|still|really|even|already|now|else|is|are|can|could|may|"
    r"might|will|would|that|which))*"
)
_IMPLEMENT_ONE = (
    r"(?:implement(?:s|ing|ed by)?|conform(?:s|ing)? to|adopt(?:s|ing)?|extend(?:s|ing)?|inherit(?:s|ing)?(?: from)?|"
    r"deriv(?:e|es|ing)(?: from)?|subclass(?:es|ing)?|overrid(?:e|es|ing)|mix(?:es|ing)? in|includes? the mixin|"
    r"satisf(?:y|ies|ying)|reali[sz]es?|fulfil+s?)"
)
_IMPLEMENT = rf"{_IMPLEMENT_ONE}(?:(?:,| or| and|/|, or) {_IMPLEMENT_ONE})*"
_IMPLEMENTATIONS = (
    r"(?:implementations?|implementers?|implementors?|implementing (?:classes|types|structs)|conformances?|conformers?|"
    r"conforming (?:classes|types|structs)|adopters?|subclass(?:es)?|sub-classes|subtypes?|derived (?:classes|types)|"
    r"descendants?|child(?:ren)? classes|children|extenders|extensions|overrid(?:es|ers|ing methods)|overloads|"
    r"concrete (?:classes|types|implementations)|inheritors?|impls?|realizations?)"
)
_CHANGE = r"(?:chang(?:e|es|ing)|modify|modif(?:ies|ying)|edit(?:ing)?|remov(?:e|ing)|delet(?:e|ing)|renam(?:e|ing)|refactor(?:ing)?|touch(?:ing)?|alter(?:ing)?|break(?:ing)?|rewrit(?:e|ing)|replac(?:e|ing)|mov(?:e|ing)|drop(?:ping)?|chang(?:e|ing) the signature of)"  # noqa: E501
_CHANGED = rf"(?:{_CHANGE}|changed|modified|edited|removed|deleted|renamed|refactored|touched|altered|rewrote|replaced|moved|dropped)"  # noqa: E501
_CALL = r"(?:calls?|calling|invokes?|invoking|triggers?|triggering|runs?|executes?|dispatches to)"
_CALLED = r"(?:called|invoked|triggered|executed|run)"
_USE = (
    r"(?:uses?|using|references?|referencing|refers? to|mentions?|instantiates?|instantiating|constructs?|constructing|"
    r"creates?|creating|accesses|consumes?|touches)"
)
_USED = r"(?:used|referenced|mentioned|instantiated|constructed|created|consumed|needed)"
_DEPEND = r"(?:depends? on|depending on|relies on|rely on|relying on|imports?|importing|requires?|requiring)"
_AREA = r"(?:folder|directory|module|package|file|namespace|crate|subsystem|layer|component|part|library|area|project|repository|repo|codebase|app)"  # noqa: E501

_DEAD = r"(?:dead|unused|unreferenced|uncalled|unreachable|orphaned|obsolete)"
_SYMBOLS = r"(?:functions?|methods?|classes|class|types?|interfaces?|constants?|variables?|symbols?|exports?|things?)"

# Most telling first. A reading counts only if its subjects look like names.
_PHRASINGS: tuple[tuple[QuestionKind, str], ...] = (
    ("path", rf"(?:paths?|routes?|chains?|way|connection|flow|call chains?|call paths?) (?:from|between) {_A} (?:to|and|until|into) {_B}$"),  # noqa: E501
    ("path", rf"^how (?:does|do|can|could|is|are|would|will) {_A} (?:ever )?(?:reach|get to|end up (?:in|at|calling)|lead to|arrive at|call into|get into|connected to|linked to|wired to) {_B}$"),  # noqa: E501
    ("path", rf"^(?:does|can|could|will|is it possible (?:for|that)) (?!(?:any|some)(?:one|body|thing)?\b){_A} (?:ever |possibly |eventually )?(?:reach|call|invoke|lead to|get to|end up in) {_B}$"),  # noqa: E501
    ("path", rf"^(?:show |find |trace |follow |draw )?(?:me )?(?:the )?(?:call |calls |flow |execution |everything )*from {_A} (?:down )?to {_B}$"),  # noqa: E501
    ("path", rf"^(?:(?:show|tell|explain|find|see)(?: me)? )?(?:how|whether|if|where) {_A} (?:ever )?(?:gets? to|gets? into|reach(?:es)?|ends? up (?:in|at|calling)|leads? to|arrives? at|calls into|comes? to) {_B}$"),  # noqa: E501
    ("path", rf"^(?:(?:show|list|give|name|what are)(?: me)? )?(?:the |all )?(?:functions|methods|calls|steps|code)(?: (?:called|run|that run|involved))? from {_A} (?:down |up )?(?:to|until|into) {_B}$"),  # noqa: E501
    ("path", rf"^(?:is there|do we have|are there) (?:any|a|some) (?:way|path|route|chain|connection|call path|call chain)s? (?:(?:to get|to come|of getting) )?from {_A} (?:down )?to {_B}$"),  # noqa: E501
    ("path", rf"^{_A}\s*(?:->|→|=>|⇒)\s*{_B}$"),
    ("unused", rf"^(?:(?:find|list|show|get|give me|is there|are there|do we have|any|all|the|me|every|some|what is|what are|where is) )*(?:{_DEAD} (?:code|{_SYMBOLS})|{_DEAD})(?: (?:in|of|within|inside|under|below|from) {_A})?$"),  # noqa: E501
    ("unused", rf"^(?:find |list |show |tell )?(?:me )?(?:all |the )?(?:what|which|any|{_SYMBOLS}|which (?:of the )?{_SYMBOLS}|everything|anything|code)(?: (?:in|of|under|inside) {_A})?(?: (?:that|which))?(?: (?:is|are|gets?))? (?:{_DEAD}|(?:never|not|nowhere|no longer|not ever)(?: being| actually| really)? (?:{_USED}|{_CALLED}|reached|imported)(?: anywhere| at all| any ?more| by (?:anything|anyone|anybody|any code))?)(?: (?:in|of|within|inside|under|below) (?P<b>.+?))?$"),  # noqa: E501
    ("unused", rf"^(?:what|which(?: [\w-]+)?|{_SYMBOLS})(?: (?:that|which))?(?: is| are)? (?:only (?:{_USED}|{_CALLED}) (?:by|in|from) tests?|(?:{_USED}|{_CALLED}) only (?:by|in|from) tests?)(?: (?:in|of|under) {_A})?$"),  # noqa: E501
    ("unused", rf"^(?:(?:find|list|show|get|give|me|all|the|what|which|code|{_SYMBOLS}|{_SYMBOLS} in {_A}) )+(?:that |which |does |do |is |are )*(?:nobody|no one|nothing|no code)(?: ever| else)? (?:calls?|uses?|needs?|references?|invokes?)$"),  # noqa: E501
    ("cycles", rf"\b(?:cycles?|circular (?:\w+)|cyclic (?:\w+)|import loops?|dependency loops?)(?: (?:\w+ )?(?:in|of|within|inside|among|between|under|involving) {_A})?$"),  # noqa: E501
    ("dependencies", rf"(?:dependenc(?:y|ies)|relation(?:ship)?s?|coupling|imports?|edges|links) between {_A} and {_B}$"),  # noqa: E501
    ("dependencies", rf"^(?:how|why|where|does|do|is) (?:does |do |is |are )?{_A} (?:depends? on|dependent on|rely on|relies on|coupled to|import) {_B}$"),  # noqa: E501
    ("dependencies", rf"^how (?:do|does|are) {_A} and {_B} (?:depend|relate|related|connect|connected|interact|coupled|linked)\b.*$"),  # noqa: E501
    ("impact", rf"(?:impacts?|effects?|consequences?|risks?|blast radius|fallout|ripple effects?) (?:of|from|when|if) (?:(?:i|we|you|someone) )?(?:a change (?:to|of|in) )?(?:{_CHANGE} )?(?:to )?{_A}(?: changes?)?$"),  # noqa: E501
    ("impact", rf"^(?:what|who|which(?: [\w-]+)?)(?: \w+)? (?:breaks?|would break|will break|could break|happens|would happen|is affected|are affected|is impacted|are impacted|fails?|must change|needs? to change|has to change)(?: (?:if|when|by|after|once))?(?: (?:i|we|you|someone|one))? (?:{_CHANGE} |a change (?:to|in|of) )?(?:to |the signature of )?{_A}(?: (?:changes|is changed|is removed|breaks|is modified|is renamed|is deleted|(?:gets?|takes?|is given|receives?) (?:a|an|another|one more)(?: new| further| extra| additional)* (?:argument|parameter|field|member|return (?:type|value))))$"),  # noqa: E501
    ("impact", rf"^(?:what|who|which(?: [\w-]+)?)(?: \w+)? (?:breaks?|would break|will break|could break|happens|would happen|is affected|are affected|is impacted|are impacted|fails?|must change|needs? to change|has to change)(?: (?:if|when|by|after|once))?(?: (?:i|we|you|someone|one))? (?:{_CHANGE}|a change (?:to|in|of)) (?:to |the signature of )?{_A}$"),  # noqa: E501
    ("impact", rf"^(?:what|who|which(?: [\w-]+)?)(?: (?:else|all))? (?:do|does|would|will|should|must|could|might|may|can|is|are|has|have|needs?)(?: (?:i|we|you|one|be|get|have))*(?: (?:to|going to|likely to))?(?: be)? (?:re-?test(?:ed)?|re-?check(?:ed)?|test(?:ed)?|check(?:ed)?|break|fail|notice|care|suffer|go wrong|affected|impacted|adapt(?:ed)?|updated?|changed?|fix(?:ed)?|look(?:ed)? at|watch out for) (?:if|when|after|before|once|because|by|in case)(?: (?:i|we|you|one|someone|somebody|anyone|anybody))?(?: (?:am|are|is|were|was|had|would|should|to|about to|going to))* (?:{_CHANGED} )?{_A}(?: (?:changes|is changed|is removed|breaks|is modified|is renamed|is deleted|went away|is gone))?$"),  # noqa: E501
    ("impact", rf"^(?:i am|i'm|we are|we're|i|we|if i|if we|when i|suppose i|say i)(?: (?:about|going|planning|want|wanting|plan|have|need|would like)(?: to)?)? {_CHANGED} {_A}(?:,|;|:|\.| -| –)* (?:who|what|which|where|is|will|does|should)\b.*$"),  # noqa: E501
    ("impact", rf"^(?:if|when|once|after|suppose|assuming)(?: that)? (?:the )?(?:(?:signature|name|type|return type|arguments?|parameters?|contract|behaviou?r|meaning|interface|body|code) of )?{_A}(?:'s (?:signature|name|type|arguments|behaviou?r|interface))? (?:is |are |were |gets? |has |have |should )?(?:changes?|changed|be changed|renamed|removed|deleted|rewritten|moved|broken|gone|(?:gets?|takes?|got|needs?|given|receives?) (?:a|an|another|one more|some)(?: new| further| extra| additional)* (?:arguments?|parameters?|fields?|members?|return (?:type|value)|types?))$"),  # noqa: E501
    ("impact", rf"^(?:which|what)(?: are)?(?: the)?(?: most direct| nearest| closest)? tests? (?:of|for) {_A}$"),
    ("impact", rf"^(?:the )?most direct tests? (?:of|for) {_A}$"),
    ("impact", rf"(?:safe|safely|risky|dangerous|ok|okay) to {_CHANGE} {_A}$"),
    ("impact", rf"^(?:can|may|could|should) (?:i|we) (?:safely )?{_CHANGE} {_A}(?: safely)?$"),
    ("impact", rf"tests? (?:that |which |cases )?(?:(?:do |does )?(?:cover|covers|covering|reach|reaches|exercise|exercises|test|tests|touch|hit|for|of|verify|check|use|uses|call|calls)) {_A}$"),  # noqa: E501
    ("impact", rf"^(?:how|where) (?:is|are) {_A} tested$"),
    ("bases", rf"(?:super ?class(?:es)?|super-class(?:es)?|base class(?:es)?|parents?|parent class(?:es)?|ancestors?|supertypes?|bases|protocols|interfaces|traits) (?:of|for|implemented by|adopted by) {_A}$"),  # noqa: E501
    ("bases", rf"^(?:what|which)(?: [\w-]+){{0,2}}? (?:does|do|is|are) {_A} (?:implement|inherit(?: from)?|extend|derive(?:d)? from|conform to|subclass|override|adopt|mix in|a subclass of)$"),  # noqa: E501
    ("implementations", rf"\b{_IMPLEMENTATIONS} (?:of|for|to|from) {_A}$"),
    ("implementations", rf"^(?:{_WHO} )?{_VERB_GAP} ?{_IMPLEMENT} {_A}$"),
    ("implementations", rf"^{_WHO}{_VERB_GAP} {_IMPLEMENT} {_A}$"),
    ("implementations", rf"^(?:who|which|what)(?: [\w-]+){{0,2}} (?:is|are) (?:an? )?(?:{_IMPLEMENTATIONS}|kinds?) of {_A}$"),  # noqa: E501
    ("implementations", rf"^(?:which|what|how many)(?: (?:other|concrete|different|available|supported|built-in|existing|kinds? of|types? of|sorts? of|variants? of))+ {_A} (?:are there|exist|do we have|are available|are supported|have we(?: got)?|are implemented|are built in)$"),  # noqa: E501
    ("implementations", rf"^where (?:is|are) {_A} (?:overridden|subclassed|extended|conformed to|adopted)$"),
    ("implementations", rf"^(?:(?:find|list|show|get|give me|all|the|every) )*{_A}(?:'s)? {_IMPLEMENTATIONS}$"),
    ("callees", rf"^(?:what|which(?: [\w-]+)?)(?: else)? (?:does|do|is|are|gets?|can|will) {_A} (?:{_CALL}|delegate to|rely on internally)$"),  # noqa: E501
    ("callees", rf"(?:callees|outgoing calls|calls made|things called|functions called|methods called|calls) (?:of|by|from|in|inside|within) {_A}$"),  # noqa: E501
    ("callees", rf"^(?:what|which(?: [\w-]+)?) (?:is|are|gets?) {_CALLED} (?:by|from|in|inside) {_A}$"),
    ("callees", rf"^(?:what|everything)(?: that)? {_A} calls$"),
    ("callers", rf"\b(?:direct |indirect |all |transitive )*(?:callers?|invokers?|call ?sites?|invocations?|incoming calls|calls|entry points|users calling) (?:of|to|into|for) {_A}$"),  # noqa: E501
    ("callers", rf"^{_WHO}{_VERB_GAP} {_CALL} {_A}$"),
    ("callers", rf"^(?:where|from where|when|by (?:what|whom)|how often) (?:is|are|does|do|gets?) {_A} (?:get |ever |being )?{_CALLED}(?: from| by)?$"),  # noqa: E501
    ("callers", rf"^(?:who|what) (?:is|are) {_A} {_CALLED} (?:by|from)$"),
    ("callers", rf"^is {_A} (?:ever |still |really )?(?:{_CALLED}|dead(?: code)?|unreachable|reachable)(?: (?:by|from) .*)?$"),  # noqa: E501
    ("callers", rf"^(?:(?:find|list|show|get|give me|all|the|every) )*{_A}(?:'s)? (?:callers|call ?sites|invocations)$"),  # noqa: E501
    ("trace", rf"^(?:trace|follow|walk(?: me)? through|step through|show|draw|give me|map|explore) (?:me )?(?:the )?(?:(?:whole|full|complete|entire|call|calls|execution|control|data|code|program) ?)*(?:graph|tree|chain|hierarchy|flow|path|stack|calls|execution)? ?(?:from|of|for|starting (?:at|from|with|in)|through|beginning (?:at|with)|made by|that begins in|out of) (?:the )?(?:entry point )?{_A}$"),  # noqa: E501
    ("trace", rf"^(?:the )?(?:call|execution|control|data) ?(?:graph|tree|chain|hierarchy|flow|path|stack) (?:from|of|for|starting (?:at|from|with)|through|rooted at) (?:the )?(?:entry point )?{_A}$"),  # noqa: E501
    ("trace", rf"^trace {_A}$"),
    ("trace", rf"^what happens\b.* (?:from|starting (?:at|with|from|in)|beginning (?:at|with|in)) {_A}(?: on(?:wards?)?)?$"),  # noqa: E501
    ("trace", rf"^what happens (?:when|after|if|in|inside|during|once) {_A}(?: (?:is|gets) (?:{_CALLED}|started|hit|reached)| (?:runs|starts|executes|begins|fires))?$"),  # noqa: E501
    ("dependents", rf"\b(?:dependents?|reverse dependenc(?:y|ies)|importers?|consumers?|clients?) of {_A}$"),
    ("dependents", rf"^{_WHO}{_VERB_GAP} {_DEPEND} {_A}$"),
    ("dependencies", rf"\b(?:dependenc(?:y|ies)|imports|requirements) (?:of|for|in) {_A}$"),
    ("dependencies", rf"^(?:what|which(?: [\w-]+)?)(?: else)? (?:does|do) {_A} (?:depend(?:s)? (?:up)?on|import|require|rely on|need)$"),  # noqa: E501
    ("dependencies", rf"^(?:(?:find|list|show|get|give me|all|the|every|map) )*{_A}(?:'s)? dependencies$"),
    ("dependencies", rf"^(?:show |map |list |draw |what are )?(?:me )?(?:the )?(?:all )?(?:module|package|file|folder|internal|inter-module)(?:-level)? (?:dependencies|dependency (?:graph|map|structure)|imports)(?: (?:of|in|for) {_A})?$"),  # noqa: E501
    ("uses", rf"\b(?:usages?|uses?|references?|mentions|instantiations?|occurrences|consumers|users) (?:of|to) {_A}$"),
    ("uses", rf"^{_WHO}{_VERB_GAP} {_USE} {_A}$"),
    ("uses", rf"^(?:where|how|by (?:what|whom)) (?:is|are|does|do|gets?) {_A} (?:get |ever |being )?{_USED}(?: from| by| in)?$"),  # noqa: E501
    ("uses", rf"^is {_A} (?:ever |still |really |even )?(?:{_USED}|unused)(?: (?:by|from|anywhere).*)?$"),
    ("uses", rf"^(?:(?:find|list|show|get|give me|all|the|every) )*{_A}(?:'s)? (?:usages?|uses|references|users)$"),
    ("overview", rf"\b(?:overview|summary|structure|architecture|layout|outline|organi[sz]ation|map|tour|big picture|high[- ]level (?:view|design)|design) (?:of|for) {_A}$"),  # noqa: E501
    ("overview", r"^(?:what is |show |give |describe |explain )?(?:me )?(?:the |an )?(?:overview|summary|structure|architecture|layout|outline|organi[sz]ation|map|tour|big picture|design)$"),  # noqa: E501
    ("overview", rf"^(?:describe|summari[sz]e|explain|outline|introduce|explore|document) (?:me )?{_A}$"),
    ("overview", rf"^what(?:'s| is| are| does)? (?:in|inside|within|there in|contained in|the contents of|the purpose of) {_A}(?: do| contain)?$"),  # noqa: E501
    ("overview", rf"^what (?:does|do) {_A} (?:contain|consist of|do|provide|offer|export)$"),
    ("overview", rf"^how (?:is|are) {_A} (?:organi[sz]ed|structured|laid out|arranged|split|divided|built up|architected)$"),  # noqa: E501
    ("overview", rf"^{_A} (?:overview|architecture|structure|layout|outline)$"),
    ("symbol", rf"\b(?:components?|code|types|things|parts|classes|functions|symbols|modules) (?:that (?:is|are) )?(?:related|connected|linked|close|belonging) (?:to|with) {_A}$"),  # noqa: E501
    ("symbol", rf"\b(?:related components|neighbou?rs|neighbou?rhood|context|definition|declaration|source|code|signature|members|methods) (?:of|to|for|around) {_A}$"),  # noqa: E501
    ("symbol", rf"^(?:where|in which file|in what file) (?:is|are|does|do) {_A} (?:defined|declared|implemented|located|live|found|come from)$"),  # noqa: E501
    ("symbol", rf"^(?:what(?:'s| is| are)|who is|show(?: me)?|tell me about|define|how does|how do|explain|explore|understand|about|research|find) {_A}(?: work| behave| do| look)?$"),  # noqa: E501
    ("symbol", _ANYTHING),
)  # fmt: skip
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PHRASINGS)

_ARTICLES = re.compile(
    r"^(?:(?:the|a|an|all|any|every|each|this|that|these|our|my|your|its|calls? to|of|to|from|by|in|using|via)\s+)+",
    re.IGNORECASE,
)
_KIND_WORD = (
    r"(?:abstract |base |super|parent |sealed |open |data |generic |static |async |virtual |pure |public |private )*"
    r"(?:protocol|interface|contract|trait|type ?class|class|struct|structure|enum|mixin|type|typealias|behaviou?r|"
    r"function|func|fn|method|constructor|initiali[sz]er|procedure|routine|macro|constant|variable|property|field|symbol|record|"
    r"object|def|entry ?point|endpoint|handler function|decorator|annotation|hook|callback)"
)
# What the question itself spoke of before: no name.
_SAID_BEFORE = re.compile(
    rf"^\s*(?:that|this|the) (?:last|latter|first|former|same|second|final|previous) (?:one|{_KIND_WORD})s?\s*$",
    re.IGNORECASE,
)
_SAID_BEFORE_ANYWHERE = re.compile(
    rf"\b(?:that|this|these|those) (?:last |latter |first |former |same )?(?:one|{_KIND_WORD})s?\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"(?:if|when|once|after|before|suppose|assuming|i |we |i'm )", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|them|they)\b", re.IGNORECASE)
_MIN_PART_WORDS = 3  # of a question's further part: "and why", "and which lines" ask for nothing else
_KIND_BEFORE = re.compile(rf"^{_KIND_WORD}s?\s+(?=\S)", re.IGNORECASE)
_KIND_AFTER = re.compile(rf"(?<=\S)\s+{_KIND_WORD}s?$", re.IGNORECASE)
_AREA_BEFORE = re.compile(rf"^{_AREA}s?\s+(?=\S)", re.IGNORECASE)
_AREA_AFTER = re.compile(rf"(?<=\S)\s+{_AREA}s?$", re.IGNORECASE)
_WHOLE = re.compile(
    rf"^(?:(?:the|this|whole|entire|our|all)\s+)*(?:{_AREA}|code ?base|code|system|everything|source|root|\.|it)s?$",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r",?\s+(?:(?:in|of|within|across|throughout|inside|from)\s+(?:the|this|our|my|your)\s+(?:\w+\s+)?(?:repo(?:sitory)?|"
    r"project|code ?base|code|app(?:lication)?|system|program|library)|"
    r"directly or (?:indirectly|not|transitively|(?:through|via|by) (?:an? |its |their |another |other )?"
    r"(?:(?:parent|base|super)[ -]?)?(?:class(?:es)?|protocols?|interfaces?|traits?|types?|parents?|ones?))|"
    r"(?:either )?directly|indirectly|transitively|"
    r"in (?:the right |that |which )?order|"
    r"(?:every|each|all)(?: (?:the|of the|its|their))? (?:call|site|place|use|line)s?|"
    r"anywhere|exactly|at all|please|here|too|nowadays|today|currently|at the moment|these days|right now|by now|"
    r"under the hood|internally|in the end|in practice|for me|by any chance|anyway|and (?:if so )?how|"
    r"if any|and (?:how|why|where)|and (?:their|its) \w+|"
    r"through (?:the|its) (?:call )?chain|defined|is (?:called|invoked))$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:please|ok|okay|hey|hi|so|now|can you|could you|would you|i want to (?:know|see|understand)|i need to"
    r" (?:know|see|understand)|i(?:'d| would) like to (?:know|see)|tell me|show me|help me understand|let me know|"
    r"do you know|explain)(?:[,:]|\b)\s*)+"
    r"(?=(?:who|what|which|where|how|why|all|every|the|find|list|trace|does|is|are)\b)",
    re.IGNORECASE,
)
_WITH_PLACES = re.compile(  # what every answer has: "…, with file:line of every call", "Each call with file:line"
    r"(?:[,.;?]?\s+(?:(?:name|list|give|show) )?(?:each|every(?: one)?|all(?: of them)?)(?: (?!file:)[\w-]+){0,2}?)?"
    r",?\s+(?:with|giving|including|and (?:give|show))\s+(?:the |their |its )?(?:file:line|file and line|"
    r"files? and lines?|line numbers?|lines|(?:call )?sites)"
    r"(?:\s+(?:of|for|per)\s+(?:its|their|each|every|all)(?:\s+(?:of\s+)?(?:the\s+)?[\w-]+){0,2})?(?=[,.;?]|$| in )",
    re.IGNORECASE,
)
_SHORTENED = re.compile(r"\b(what|who|where|how|which|that|there|when)['’]s\s+", re.IGNORECASE)
_IN_OTHER_WORDS = r"(?:i\.e\.|that is(?: to say)?|in other words),?\s+"
_CLAUSES = re.compile(rf"(?:[?!;]|\.(?=\s+[A-Z]))\s+(?:{_IN_OTHER_WORDS})?|,?\s+{_IN_OTHER_WORDS}")
_PARTS = re.compile(
    r",\s+(?:and\s+|then\s+)?(?=(?:who|which|what|where|how|by)\b)|\s+and\s+(?=(?:who|which|what|where|how|by what)\b)"
)
_MEMBER_OF = re.compile(  # "the callback `b` of the behaviour `A`" is `A.b`
    rf"(?:\b{_KIND_WORD} )?`(?P<member>\w+[?!]?)` of (?:the )?(?:{_KIND_WORD} )?`(?P<type>[\w.:\\]*[A-Z]\w*)`"
)
_BANG = re.compile(r"(?:#|\.|::)\w+!(?=[?]?[ .;]*$)")  # `Post#revise!`: of `revise!?` only the question mark is ours
_WAY = re.compile(
    r"\b(?:chain|sequence|order|path|way|flow|steps?|functions|methods|calls)\b.*\bfrom\b.+\b(?:to|until|into)\b",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(
    r"(?:in (?:the right |that |which )?(?:order|sequence),? )?(?:from|when|after|before)\b", re.IGNORECASE
)
_LISTED = re.compile(r":\s+[\w ,/&-]+$")  # "what breaks if x changes: callers, overrides and tests"
_PRONOUN = re.compile(
    r"\b(?:it|them|that one|that|this|those|these|that (?:function|method|class))$|\b(?:it|them)\b(?=[,?]|$)"
)
_CODE_LIKE = re.compile(r"_\w|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|::|\w[.#/\\]\w|->|\(\s*\)|^[A-Z][\w$]*$|\d")
_NAME_LIKE = re.compile(r"^[\w$@~./:#<>?!*+=\\-]+(?:\(.*\))?$")
# `Handle::schedule_task` of the multi-thread scheduler: code, and then words that say which of several is meant.
_TOLD_APART = re.compile(
    r"^(?P<quote>`)?['\"]?(?P<name>[\w$@~.:#\\/]*\w(?:\(\))?[!?]?)[`'\"]?(?:,| ?[(–-]|\s(?:of|in|from|within|for|on|at|"
    r"inside|across|under|including|directly|either|via|through|with|as|that|which|when|itself)\b)"
    r"(?!.*\b(?:and|or) [`'\"]?\w+(?:[._]\w|[a-z][A-Z]))"  # a second name is no mere word about the first
)
_ENDS = " \t\n\"'`´“”‘’«».,;:?!"
_CALL_BRACKETS = re.compile(r"\((?:[\w\s,:_.*&\[\]<>?=]*)\)$")
_PROSE_WORDS = (
    "how why when where what which who is are was were does do did be can should would will must not and or that then"
    " before after while during into onto about through between without within against"
)
_OF_THE_ROOT: frozenset[QuestionKind] = frozenset({"dependencies", "dependents", "cycles", "unused", "overview"})
_OF_A_SYMBOL: frozenset[QuestionKind] = frozenset(
    {"callers", "callees", "implementations", "bases", "impact", "uses", "dependents", "path"}
)
_OF_SEVERAL: frozenset[QuestionKind] = frozenset(
    {"callers", "callees", "implementations", "bases", "impact", "uses", "symbol", "trace"}
)
_LIST = re.compile(r"\s*,\s*(?:and |or )?|\s+(?:and|or|and/or|/)\s+|\s*&\s+", re.IGNORECASE)
_MAX_LEAD_CHARS = 40  # before the phrasing of a path between plain words
_MAX_NAMES = 4  # of one question that are answered for
_PROSE = frozenset(_PROSE_WORDS.split())


@lru_cache(maxsize=1024)
def readings(text: str) -> tuple[Reading, ...]:
    """Every way to understand a question, most telling first; the last one is always the open question."""
    asked = _tidy(text)
    found: dict[Reading, None] = {}
    clauses = [_tidy(clause) for clause in _CLAUSES.split(asked)]
    parts_of_it = [_tidy(part) for part in _PARTS.split(asked)]
    before_list = _tidy(_LISTED.sub("", asked))
    for phrase in dict.fromkeys([asked, before_list, *filter(None, parts_of_it), *filter(None, reversed(clauses))]):
        for kind, pattern in _COMPILED:
            match = pattern.search(phrase)
            if match is None or (phrase != asked and kind == "symbol"):  # half a sentence is no name
                continue
            if kind == "symbol" and len(parts_of_it) > 1 and pattern.pattern == _ANYTHING:
                continue  # "where is `x` called and what implements it" is more than a name with words around it
            if kind in ("symbol", "trace") and _WAY.search(phrase):  # of a way only one end is a name
                continue
            parts = [part for part in (match.groupdict().get("a"), match.groupdict().get("b")) if part]
            if kind == "callers" and _IN_ORDER.match(parts[0]):
                continue  # "which functions run in order from `a` to the end" asks for no callers
            told = kind in _OF_A_SYMBOL
            several = subjects_of(parts[0]) if kind in _OF_SEVERAL and len(parts) == 1 else ()
            if several:
                found.setdefault(Reading(kind, several))
                continue
            subjects = tuple(s for part in parts if (s := subject_of(part, told_apart=told)) is not None)
            names = tuple(subject for subject in subjects if subject.name)
            if not names and kind not in _OF_THE_ROOT:
                continue  # "who calls it": the whole root is called by nobody
            if kind == "path" and match.start() > _MAX_LEAD_CHARS and not all(subject.marked for subject in names):
                continue  # "…: the chain from the page to the output" at the end of prose names no symbols
            if phrase == before_list != asked and not all(subject.marked for subject in names):
                continue  # what is said behind a colon may be what the question is about
            if len(subjects) == len(parts) and not (kind == "symbol" and _is_prose(subjects)):
                found.setdefault(Reading(kind, names))
    found.setdefault(Reading("open"))
    return tuple(found)


def follow_up(text: str) -> tuple[str, str] | None:
    """A question about something that is described, and one about that: ("which function checks the limit", "who calls
    {}"); None when the question is not of that form."""
    parts = [part for part in _PARTS.split(_tidy(text)) if part]
    for number in range(1, len(parts)):
        second = _tidy(parts[number])
        if _PRONOUN.search(second):
            return ", ".join(parts[:number]), _PRONOUN.sub("{}", second.replace("{", "").replace("}", ""))
    return None


def unanswered(text: str, reading: Reading) -> tuple[str, ...]:
    """The other parts of a question of which one part has this reading: "who calls A, and which method does b"."""
    parts = [_tidy(part) for part in _PARTS.split(_tidy(text)) if part.strip()]
    answered = [part for part in parts if reading in readings(part)]
    if reading.kind == "open" or len(answered) != 1 or _CONDITION.match(answered[0]):
        return ()  # understood as a whole; of "if A changes, what must follow" the rest only says what is asked for
    others = [part for part in parts if part != answered[0] and len(part.split()) >= _MIN_PART_WORDS]
    found = []
    for part in others:
        told = _IT.sub(f"`{reading.subjects[0].name}`", part) if reading.subjects else part
        understood = readings(told)
        if _SAID_BEFORE_ANYWHERE.search(part) or reading in understood:
            continue  # "who calls these functions": callers of callers are part of the first answer
        if told == part or understood[0].kind != "open":
            found.append(told)
    return tuple(found)


def _tidy(text: str) -> str:
    asked = " ".join(text[: MAX_PHRASED_CHARS * 2].replace("\0", " ").split())
    named = _BANG.search(asked)
    asked = asked[: named.end()] if named is not None else asked.rstrip(" ?!.;")
    if len(asked) > MAX_PHRASED_CHARS:
        return ""
    asked = _SHORTENED.sub(r"\1 is ", _WITH_PLACES.sub("", asked))
    asked = _MEMBER_OF.sub(r"`\g<type>.\g<member>`", asked)
    asked = _LEAD.sub("", asked)
    while (shorter := _TAIL.sub("", asked)) != asked:
        asked = shorter
    return asked


def subject_of(phrase: str, *, told_apart: bool = False) -> Subject | None:
    """Clean a phrase down to a name; None when it is prose. An empty name stands for the whole root. With `told_apart`
    code may be followed by words about it."""
    found = _cleaned(phrase)
    if not told_apart or (found is not None and " " not in found.name):
        return found
    told = _TOLD_APART.match(_KIND_BEFORE.sub("", _ARTICLES.sub("", phrase.strip())))
    if told is not None and (_CODE_LIKE.search(told["name"]) or told["quote"]):
        return Subject(_CALL_BRACKETS.sub("", told["name"]), marked=True)
    return found


def subjects_of(phrase: str) -> tuple[Subject, ...]:
    """The names of "A or B", "A, B and C"; () unless there are two or more, and all of them look like code."""
    parts = [part for part in _LIST.split(phrase) if part.strip()]
    if not 2 <= len(parts) <= _MAX_NAMES:
        return ()
    *before, end = parts
    found = [*map(subject_of, before), subject_of(end, told_apart=True)]
    names = tuple(s for s in found if s is not None and s.marked and " " not in s.name)
    return names if len(names) == len(parts) and len(set(names)) == len(parts) else ()


def _cleaned(phrase: str) -> Subject | None:
    quoted = re.fullmatch(r"\s*(?:the |a |an )?(?:[\w ]+ )?[`\"'“‘]([^`\"'”’]+)[`\"'”’](?: [\w ]+)?\s*", phrase)
    marked = quoted is not None
    if not marked and _SAID_BEFORE.match(phrase):
        return None
    name = quoted[1] if quoted is not None else phrase
    name, folder = name.strip(_ENDS + "("), False
    if _WHOLE.match(name):
        return Subject("", marked=False, folder=True)
    while True:
        before = name
        name = _ARTICLES.sub("", _TAIL.sub("", name)).strip(_ENDS)
        for pattern, is_area in ((_KIND_BEFORE, 0), (_KIND_AFTER, 0), (_AREA_BEFORE, 1), (_AREA_AFTER, 1)):
            shorter = pattern.sub("", name)
            if shorter != name:
                name, folder = shorter, folder or bool(is_area)
        if name == before:
            break
    called = _CALL_BRACKETS.search(name) is not None
    bare = _CALL_BRACKETS.sub("", name).strip(_ENDS + "()")
    if not bare or not any(c.isalnum() for c in bare):
        return None
    if f"{bare}!" in phrase and _BANG.search(f"{bare}!") is not None:
        bare += "!"
    words = bare.split()
    if len(words) > MAX_SUBJECT_WORDS or (not marked and len(words) > 1 and _PROSE & {w.lower() for w in words}):
        return None
    if len(words) == 1 and (not _NAME_LIKE.match(bare) or (not marked and bare.lower() in _PROSE)):
        return None
    return Subject(bare, marked or called or (len(words) == 1 and _CODE_LIKE.search(bare) is not None), folder)


def _is_prose(subjects: tuple[Subject, ...]) -> bool:
    """A symbol reading of several plain words is a guess not worth making: search does better."""
    return any(len(subject.name.split()) > 1 for subject in subjects)
