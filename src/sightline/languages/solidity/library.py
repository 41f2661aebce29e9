"""Names that Solidity brings along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    require assert revert keccak256 sha256 ripemd160 ecrecover addmod mulmod selfdestruct blockhash gasleft type
    payable address uint uint8 uint16 uint32 uint64 uint96 uint128 uint160 uint256 int int8 int256 bytes bytes4 bytes32
    string bool emit new abi this super
    """
)
COMMON_MEMBERS = (
    EVERYWHERE
    | BUILTINS
    | words(
        "encode encodePacked encodeWithSelector encodeWithSignature encodeCall decode transfer send call delegatecall"
        " staticcall balance code codehash length push pop selector sub mul div mod"
    )
)
