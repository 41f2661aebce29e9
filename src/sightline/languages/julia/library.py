"""Names that Julia brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    abs all any append! argmax argmin axes broadcast ceil collect cat cmp conj convert copy copyto! cos count cumsum
    deepcopy delete! diff div eachindex eltype empty! enumerate eof error esc exp fieldnames fill fill! filter findall
    findfirst first float floor foreach get get! getfield getindex getproperty hasproperty hash haskey hcat identity
    include include_string Int isa isempty isequal isless isnothing iterate join keys last length log map max maximum
    merge min minimum mod new ndims nothing ntuple one ones open pairs parse pop! popfirst! print println prod promote
    push! pushfirst! rand range read reduce rem repeat repr reshape resize! rethrow reverse round setdiff setfield!
    setindex! show similar sin size sizeof sleep sort sort! splice! split sprint sqrt string strip sum symdiff
    throw trunc tuple typeof undef union unique vcat vec view write xor zero zeros zip ArgumentError BoundsError
    KeyError ErrorException String Symbol Vector Dict Set Tuple Array Matrix Float64 Int64 Bool Pair Ref
    """
)
COMMON_MEMBERS = EVERYWHERE | BUILTINS
