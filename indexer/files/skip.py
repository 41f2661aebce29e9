"""Why a file is left out: by its name, before anything is read, or by its content.

Reasons are short and stable: they are stored, counted and shown by `sightline status --files`. A name decides the same
way whether the file is met in a walk or alone, so every rule here looks at the path only.
"""

# ruff: noqa: SIM905 (long lists of names read better as text)

from __future__ import annotations

import re
from fnmatch import translate

BINARY = "binary"
CHANGED = "changed while read"
DATA = "data"
GENERATED = "generated"
MINIFIED = "minified"
NAME_NOT_UTF8 = "name not UTF-8"
NOT_REGULAR = "not a regular file"
SECRET = "secret"
SYMLINK = "symlink"
TOO_LARGE = "too large"
UNREADABLE = "unreadable"
VENDORED = "vendored"

# Never entered, whatever the ignore files say: version control and what tools leave behind. Not worth a record each.
PRUNED_FOLDERS = frozenset(
    """.git .hg .svn .jj .bzr CVS node_modules bower_components jspm_packages __pycache__ .venv .tox .nox .eggs
    .mypy_cache .ruff_cache .pytest_cache .hypothesis .gradle .terraform .next .nuxt .svelte-kit .parcel-cache
    .turbo .yarn .pnpm-store .dart_tool .stack-work .cabal-sandbox .bundle .sass-cache .cache .idea .vs""".split()
)

_SECRET_NAMES = """.env* *.env .flaskenv *.pem *.key *.p12 *.pfx *.p8 *.jks *.keystore *.keytab *.kdbx *.kdb *.ppk *.gpg
    *.pgp *.agekey *.ovpn id_rsa* id_dsa* id_ecdsa* id_ed25519* credentials credentials*.json credentials*.y*ml
    credentials*.csv credentials*.toml credentials*.ini credentials*.xml credentials*.txt credentials*.properties
    credentials*.cfg credentials*.conf *[_-]credentials.json secret.json secrets.json secret.y*ml secrets.y*ml
    secret.toml secrets.toml secret.ini secrets.ini secret.txt secrets.txt secret.cfg secrets.cfg secret.conf
    secrets.conf
    secret.properties secrets.properties secrets.xml secrets.*.json secrets.*.y*ml secrets.*.toml *.secret *.secrets
    client_secret*.json client-secret*.json service-account*.json service_account*.json serviceaccount*.json
    *sa-key*.json *sa_key*.json gcp-key*.json gcp_key*.json gcloud-key*.json *firebase-adminsdk*.json *keyfile.json
    .npmrc .netrc _netrc .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf .htpasswd .git-credentials .dockercfg .boto
    .s3cfg .vault-token .vault_pass* .vault-pass* .terraformrc terraform.rc kubeconfig kubeconfig.y*ml kubeconfig.json
    *.kubeconfig *.tfstate *.tfstate.* *.tfvars *.tfvars.json .rediscli_auth .authinfo .databrickscfg .snowsql.cnf
    local.settings.json appsettings.secrets.json .histfile .lesshst""".split()
# Names that code has too; they are secrets unless the name ends like code.
_SECRET_DATA_NAMES = """env.prod* env.stag* env.dev* env.local* *_history *_rsa *_dsa *_ecdsa *_ed25519 private_key*
    private-key* vault_pass* vault-pass*""".split()
_CODE_SUFFIX = re.compile(
    r"\.(?:[chm]|[ch](?:pp|xx|\+\+)|cc|hh|cs|css|dart|erb|exs?|go|hs|html?|java|[cm]?[jt]sx?|kts?|lua|md|php|pyi?|r[bs]|rst"
    r"|scala|sh|sql|svelte|swift|vue|zig)$",
    re.IGNORECASE,
)
_SECRET_FOLDERS = frozenset(
    ".ssh .gnupg .aws .azure .kube .docker .gcloud .oci .password-store .secrets .vault".split()
)
_SECRET = re.compile("|".join(translate(name) for name in _SECRET_NAMES), re.IGNORECASE)
_SECRET_DATA = re.compile("|".join(translate(name) for name in _SECRET_DATA_NAMES), re.IGNORECASE)

_LOCKFILES = frozenset(
    """package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock uv.lock poetry.lock
    pdm.lock pipfile.lock pixi.lock conda-lock.yml cargo.lock go.sum go.work.sum composer.lock gemfile.lock
    podfile.lock package.resolved mix.lock pubspec.lock packages.lock.json gradle.lockfile flake.lock
    stack.yaml.lock cabal.project.freeze paket.lock shard.lock cartfile.resolved buf.lock .terraform.lock.hcl""".split()
)
_VENDOR_FOLDERS = frozenset({"third_party", "third-party", "thirdparty", "3rdparty", "Pods", "Carthage", "Godeps"})
# Below a nested `vendor` these are other people's packages; any other nested `vendor` may be the business's own word.
_VENDOR_INSIDES = frozenset({"composer", "bundle", "cache", "autoload.php", "modules.txt"})

_GENERATED_NAME = re.compile(
    r"\.map$|_pb2(_grpc)?\.pyi?$|\.pb(\.gw|\.validate)?\.(go|cc|h|swift|dart)$|_pb\.(js|d\.ts|rb|ts)$|\.g\.(dart|cs)$"
    r"|\.freezed\.dart$|\.designer\.cs$|_generated\.go$|^zz_generated\..*\.go$|\.generated\.\w+$|\.snap$"
    r"|^bundle\.js$|\.bundle\.js$|\.chunk\.(js|css)$",
    re.IGNORECASE,
)
_OUTPUT_FOLDERS = frozenset({"dist", "out", ".output"})
_OUTPUT_SUFFIXES = frozenset({".js", ".mjs", ".cjs", ".css", ".html"})
_MINIFIED_NAME = re.compile(r"[.-]min\.(js|mjs|cjs|css|html)$", re.IGNORECASE)
_DATA_SUFFIXES = frozenset(
    ".svg .csv .tsv .jsonl .ndjson .geojson .po .pot .xlf .arb .srt .vtt .log .ics .vcf .sum .sql.gz".split()
)
_BINARY_SUFFIXES = frozenset(
    """.png .jpg .jpeg .gif .bmp .ico .icns .webp .avif .heic .tif .tiff .psd .ai .eps .pdf .ps .djvu .mp3 .mp4 .m4a
    .m4v .wav .ogg .oga .ogv .flac .aac .avi .mov .mkv .webm .wmv .ttf .otf .woff .woff2 .eot .zip .gz .tgz .bz2 .xz
    .zst .lz4 .br .7z .rar .tar .jar .war .ear .aar .apk .ipa .dmg .iso .deb .rpm .msi .exe .dll .so .dylib .a .lib
    .o .obj .pdb .class .pyc .pyo .pyd .whl .egg .nupkg .wasm .bin .dat .db .sqlite .sqlite3 .mdb .parquet .arrow
    .feather .npy .npz .pkl .pickle .pt .pth .onnx .safetensors .h5 .hdf5 .tflite .pb .mo .doc .docx .xls .xlsx .ppt
    .pptx .odt .ods .odp .epub .swf .fla .blend .fbx .glb .stl .dwg .rlib .rmeta .hi .beam .elc .nib .car .lance
    """.split()
)

_HEAD_CHARS = 2_000  # a generator announces itself at the top
_HEAD_LINES = 15
_COMMENT_LINE = re.compile(r"""^\s*(?://|#|/?\*|--|;|<!--|%|\{-|'''|\"\"\"|@rem\b)""", re.IGNORECASE)
_GENERATED_MARK = re.compile(r"(?<![\w`'\"])@generated\b(?!\s*`)", re.IGNORECASE)
_GENERATED_WORD = re.compile(r"\b(?:auto-?)?generated\b", re.IGNORECASE)
_HANDS_OFF = re.compile(
    r"\bdo not (?:edit|modify|change|touch)\b|\bdon't edit\b|\bnot be edited\b|\bwill be (?:lost|overwritten)\b",
    re.IGNORECASE,
)
_KEY_FRAME = rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# A file that is a key, under whatever name: comments and attributes may come first.
_KEY_FILE = re.compile(
    rb"(?:[ \t]*+(?:[#;][^\n]*+|(?:Bag|Key) Attributes[^\n]*+|[A-Za-z ]{1,30}+:[^\n]*+)?\r?\n){0,20}+[ \t]*+(?:"
    + _KEY_FRAME
    + rb"|PuTTY-User-Key-File-|AGE-SECRET-KEY-1)"
)
# A key inside data or prose; an example that only shows the frame, or dots in it, is none.
_FRAMED_KEY = re.compile(
    _KEY_FRAME + rb"(?:\\[nr]|[\s\"'+,>|]|[A-Z][A-Za-z-]{1,30}+: [^\n]*+\n){1,40}+[A-Za-z0-9+/=]{40}"
)
_MIN_MINIFIED_BYTES = 2_000  # below this a dense one-liner is a small config, not a bundle
_MINIFIED_MEAN_LINE = 300  # bytes; hand-written code stays below 60, minified bundles are in the thousands
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1b\x08"))
_MAX_CONTROL_SHARE = 0.05


def by_name(path: str) -> str:
    """Return why a file is left out, judged by its path alone; "" when its name is no reason."""
    *above, name = path.split("/")
    folders = tuple(above)
    lower = name.lower()
    dot = lower.rfind(".")
    suffix = lower[dot:] if 0 < dot < len(lower) - 1 else ""
    if _looks_secret(name, folders):
        return SECRET
    if suffix in _BINARY_SUFFIXES:
        return BINARY
    if _vendored(folders, name):
        return VENDORED
    if lower in _LOCKFILES or _GENERATED_NAME.search(name):
        return GENERATED
    if _MINIFIED_NAME.search(name):
        return MINIFIED
    if suffix in _OUTPUT_SUFFIXES and not _OUTPUT_FOLDERS.isdisjoint(folders):
        return GENERATED
    return DATA if suffix in _DATA_SUFFIXES else ""


def by_content(text: bytes, *, prose: bool, code: bool) -> str:
    """Return why a file is left out, judged by its text; "" when it counts.

    `prose` may have lines of any length, and `code` may hold a key among other things (tests of encryption do).
    """
    if holds_private_key(text, anywhere=not code):
        return SECRET
    if looks_generated(text[:_HEAD_CHARS].decode("utf-8", "replace")):
        return GENERATED
    if not prose and len(text) >= _MIN_MINIFIED_BYTES and len(text) / (text.count(b"\n") + 1) > _MINIFIED_MEAN_LINE:
        return MINIFIED
    return ""


def holds_private_key(text: bytes, *, anywhere: bool) -> bool:
    """Say whether a text is a private key, or holds one anywhere: its frame and the beginning of what is inside."""
    if _KEY_FILE.match(text):
        return True
    return anywhere and b"PRIVATE KEY" in text and _FRAMED_KEY.search(text) is not None


def _looks_secret(name: str, folders: tuple[str, ...]) -> bool:
    if _SECRET.match(name) or (_SECRET_DATA.match(name) and not _CODE_SUFFIX.search(name)):
        return True
    return any(folder.startswith(".") and folder.lower() in _SECRET_FOLDERS for folder in folders)


def looks_generated(head: str) -> bool:
    """Say whether the comments at the top of a file tell that a program wrote it."""
    comments = "\n".join(line for line in head.split("\n")[:_HEAD_LINES] if _COMMENT_LINE.match(line))
    if _GENERATED_MARK.search(comments):
        return True
    return bool(_GENERATED_WORD.search(comments) and _HANDS_OFF.search(comments))


def looks_binary(data: bytes) -> bool:
    """Say whether bytes (without a UTF-16 mark) are no text: a NUL anywhere, or many control characters."""
    if b"\0" in data:
        return True
    head = data[:8192]
    return len(head) - len(head.translate(None, _CONTROL)) > _MAX_CONTROL_SHARE * len(head)


def _vendored(folders: tuple[str, ...], name: str) -> bool:
    if not _VENDOR_FOLDERS.isdisjoint(folders):
        return True
    if "vendor" not in folders:
        return False
    if folders[0] == "vendor":
        return True
    inside = (*folders, name)[folders.index("vendor") + 1]
    return inside in _VENDOR_INSIDES or ("." in inside and len(folders) > folders.index("vendor") + 1)
