"""What a Python script imports that is not of the standard library, and where a skill may declare it."""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentskills_lint.documents import Folder, Skill
from agentskills_lint.inline_metadata import read
from agentskills_lint.scripts import Script, beside


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What the standard library of the oldest Python that runs us has lost since, of older ones before,
# and what later ones have gained: https://docs.python.org/3/whatsnew/, PEP 594, PEP 632.
_OTHER_STANDARD = _words(
    """
    __builtin__ _winreg aifc annotationlib anydbm asynchat asyncore audioop binhex BaseHTTPServer cPickle cStringIO cgi
    cgitb chunk commands compression ConfigParser Cookie cookielib copy_reg crypt dbhash distutils dl dummy_threading
    dumbdbm exceptions formatter gdbm hotshot htmlentitydefs HTMLParser httplib imghdr imp lib2to3 macpath mailcap md5
    msilib nis nntplib ossaudiodev parser pipes profiling Queue robotparser rfc822 sets sha smtpd SimpleHTTPServer
    sndhdr SocketServer spwd StringIO sunau symbol telnetlib thread Tkinter tkFileDialog tkMessageBox ttk urllib2
    urlparse user UserDict uu whichdb xdrlib xmlrpclib
    """
)

# Modules that only the program has that runs the script, and those that come with every Python.
_HOSTED = _words(
    """
    adsk arcpy bge bmesh bpy bpy_extras c4d cinema4d clr com dbutils FreeCAD FreeCADGui freecad gdb ghidra gimp gimpfu
    hou idaapi idautils idc java javax js lldb machine mathutils maya MaxPlus micropython nuke org pcbnew pip
    pkg_resources pyodide pymel pymxs qgis rhinoscriptsyntax Rhino scriptcontext setuptools substance_painter sublime
    sublime_plugin System test unohelper uno unreal utime vim wheel
    """
)


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """Words of the form `module=distribution,distribution` as a mapping."""
    return {module: tuple(names.split(",")) for module, _, names in (word.partition("=") for word in text.split())}


# As the page of each distribution on pypi.org tells; where the names are the same, or differ by "py" or "python",
# nothing has to be told but what the message shows.
_DISTRIBUTIONS = _table(
    """
    Bio=biopython Crypto=pycryptodome,pycrypto Cryptodome=pycryptodomex Levenshtein=python-Levenshtein
    MySQLdb=mysqlclient OpenGL=PyOpenGL OpenSSL=pyOpenSSL PIL=Pillow Xlib=python-xlib absl=absl-py
    apiclient=google-api-python-client attr=attrs bs4=beautifulsoup4 cairo=pycairo
    cv2=opencv-python,opencv-python-headless,opencv-contrib-python,opencv-contrib-python-headless
    dateutil=python-dateutil discord=discord.py,py-cord dns=dnspython docx=python-docx dotenv=python-dotenv
    ffmpeg=ffmpeg-python fitz=PyMuPDF gi=PyGObject git=GitPython github=PyGithub gitlab=python-gitlab
    google_auth_oauthlib=google-auth-oauthlib googleapiclient=google-api-python-client grpc=grpcio
    grpc_tools=grpcio-tools hid=hidapi jose=python-jose jwt=PyJWT kafka=kafka-python ldap=python-ldap
    levenshtein=python-Levenshtein magic=python-magic,python-magic-bin markdown=Markdown mpl_toolkits=matplotlib
    mysql=mysql-connector-python nacl=PyNaCl odf=odfpy pptx=python-pptx psycopg=psycopg,psycopg-binary
    psycopg2=psycopg2,psycopg2-binary pymupdf=PyMuPDF pythoncom=pywin32 ruamel=ruamel.yaml serial=pyserial
    skimage=scikit-image sklearn=scikit-learn slugify=python-slugify socks=PySocks
    speech_recognition=SpeechRecognition telegram=python-telegram-bot tlz=toolz,cytoolz umap=umap-learn usb=pyusb
    websocket=websocket-client win32api=pywin32 win32com=pywin32 win32con=pywin32 win32gui=pywin32 wx=wxPython
    yaml=PyYAML,ruamel.yaml zmq=pyzmq
    """
)
"""Distributions by the module that they bring, where the names differ."""

_COMES_WITH = _table(
    """
    PIL=matplotlib,python-pptx,torchvision,pdfplumber,reportlab botocore=boto3,aioboto3,awscli certifi=requests,httpx
    google=protobuf,grpcio-tools httpx=openai,anthropic,httpx-sse jinja2=flask markupsafe=jinja2,flask
    numpy=pandas,scipy,matplotlib,scikit-learn,opencv-python,opencv-python-headless,torch,xarray
    pydantic=fastapi,openai,anthropic,pydantic-ai,langchain s3transfer=boto3 starlette=fastapi
    torch=torchvision,torchaudio,sentence-transformers urllib3=requests,boto3 werkzeug=flask
    """
)
"""Distributions that bring a module of others along by design."""

_NAMESPACES = _words(
    """
    airflow alibabacloud aws_cdk azure backports google haystack jaraco langchain llama_index opentelemetry pulumi
    ruamel sphinxcontrib tencentcloud zope
    """
)
"""Modules that many distributions share, whose names begin with theirs."""

_WORDS = _words(
    """
    anthropic box click discord docker docx email fire git github gitlab image kafka magic markdown openai path pdf
    pptx records redis requests rich schedule serial slack tables telegram usb websocket yaml
    """
)
"""Modules that are words, too: a sentence that holds one of them declares nothing."""

_MANIFEST = re.compile(
    r"(?:[\w.-]*requirements[\w.-]*\.(?:txt|in|pip)|constraints[\w.-]*\.txt|pyproject\.toml|setup\.(?:cfg|py)|pipfile(?:\.lock)?"
    r"|(?:conda[-_]?)?env(?:ironment)?[\w.-]*\.ya?ml|uv\.lock|poetry\.lock|pixi\.toml|dockerfile[\w.-]*|containerfile|makefile"
    r"|justfile|flake\.nix|shell\.nix|[\w-]*(?:setup|install|bootstrap|deps)[\w-]*\.(?:sh|bash|ps1|bat))",
    re.I | re.A,
)
_README = re.compile(r"(?:readme|install|installation|setup|dependencies|requirements)\.md", re.I)
_INCLUDED = re.compile(r"^[ \t]*(?:-r|--requirement)[ \t=]*(\S+)", re.M)
_MANIFEST_FOLDERS = ("requirements", "reqs", "deps")
_TEXT_FOLDERS = ("references", "reference", "docs")
_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.A)
_TELLS = re.compile(
    r"\b(?:pip[x3]?|uvx?|poetry|pdm|conda|mamba|pixi|rye|apt(?:-get)?|brew|dnf|apk|install\w*|requir\w*|depend\w*"
    r"|prerequisit\w*|needs?|packages?|librar(?:y|ies)|modules?|setup|venv|virtualenv|pypi|available|powered|via|us(?:es?|ing)"
    r"|built[ ](?:on|with))\b",
    re.I,
)
_TELLING_HEADING = re.compile(
    r"#{1,6}[ \t].*(?:depend|requir|prerequisit|install|setup|packages|librar|stack|tools\b)", re.I
)
_ITEM = re.compile(r"[ \t]*(?:[-*+|]|[0-9]+[.)])|[ \t]*$", re.A)
_MANAGER = re.compile(r"\b(?:pip[x3]?|uvx?|poetry|pdm|conda|mamba|pixi|rye|apt|apt-get)\b", re.I)
_ADDS = re.compile(r"(?:\binstall|\badd|--with|--from)\b", re.I)
_CODE_SPAN = re.compile(r"`([A-Za-z0-9._-]+(?:\[[\w,-]+\])?(?:[=<>~!]=?[^`]*)?)`")
_WIDTH = 1_000
"""Characters of a line that are looked at."""
_OWN_INSTALL = re.compile(r"\b(?:pip3?|uv|conda|poetry)[ \t\"',]+(?:pip[ \t\"',]+)?(?:install|add)\b|--with\b", re.I)
_REQUIREMENT = re.compile(r"([A-Za-z][\w.-]*)(?:\[[\w,-]+\])?(?:[ \t]*[=<>~!]=?[^\n]*)?", re.A)
_FIND_SPEC = re.compile(r"(?:find_spec|import_module|__import__|importorskip)\([ \t]*[\"']([A-Za-z_]\w*)")
_PATH = re.compile(r"\bsys\.path\b(?P<elsewhere>[^\n]{0,200}(?:environ|getenv|expanduser|[\"'][/~]))?")
_MOST_ENTRIES = 3_000
_MOST_FOLDERS = 300
_MOST_TEXTS = 40
_MAX_MANIFEST = 2_000_000


class Import(NamedTuple):
    """The first import of a top-level module: its name, the node that holds the place."""

    name: str
    where: ast.alias | ast.stmt


def imports(module: ast.Module) -> list[Import]:
    """What a script cannot do without: the modules that it imports whatever happens, each once.

    Left out are relative imports, those that only a type checker reads, and those whose failure is caught.
    """
    found: dict[str, Import] = {}
    optional: set[str] = set()
    waiting: list[tuple[ast.AST, bool]] = [(module, False)]
    while waiting:
        node, is_optional = waiting.pop()
        names: list[Import] = []
        if isinstance(node, ast.Import):
            names = [Import(alias.name.partition(".")[0], alias) for alias in node.names if not _is_hosted(alias.name)]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module and not _is_hosted(node.module):
            names = [Import(node.module.partition(".")[0], node)]
        else:
            waiting.extend(_below(node, is_optional))
        for one in names:
            if is_optional:
                optional.add(one.name)
            elif one.name not in found or _place(one) < _place(found[one.name]):
                found[one.name] = one
    return sorted((one for name, one in found.items() if name not in optional), key=_place)


def undeclared(script: Script) -> list[Import]:
    """The imports of a script for which its skill declares no distribution."""
    if script.module is None:
        return []
    probed = set(_FIND_SPEC.findall(script.source))
    wanted = [one for one in imports(script.module) if not _is_standard(one.name) and one.name not in probed]
    wanted = [one for one in wanted if not _is_local(script, one.name)]
    path = list(_PATH.finditer(script.source)) if wanted else []
    if not wanted or any(found["elsewhere"] for found in path):
        return []  # what lies in a folder that only the machine of the author has may be any module
    if path:
        wanted = [one for one in wanted if not _lies_beside_the_skill(script, one.name)]
    declared = _Declared(script)
    return [one for one in wanted if not declared.holds(one.name, [other.name for other in wanted])]


def distribution(module: str) -> str:
    """The name under which a module is installed, as far as it is known."""
    return _DISTRIBUTIONS.get(module, (module,))[0]


def _place(one: Import) -> tuple[int, int]:
    return one.where.lineno, one.where.col_offset


def _below(node: ast.AST, is_optional: bool) -> Iterator[tuple[ast.AST, bool]]:
    if isinstance(node, ast.Try | ast.TryStar):
        caught = is_optional or any(map(_catches_a_missing_module, node.handlers))
        for part in node.body:
            yield part, caught
        for handler in node.handlers:
            yield handler, caught
        for part in (*node.orelse, *node.finalbody):
            yield part, is_optional
    elif isinstance(node, ast.If) and _is_for_types(node.test):
        for part in node.orelse:
            yield part, is_optional
    elif isinstance(node, ast.If) and _is_about_version(node.test):
        for part in (*node.body, *node.orelse):
            yield part, True
    elif isinstance(node, ast.With | ast.AsyncWith) and any(_suppresses(item.context_expr) for item in node.items):
        for part in node.body:
            yield part, True
    else:
        for field in ("body", "orelse", "finalbody", "cases"):
            for part in getattr(node, field, ()):
                yield part, is_optional


_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _catches_a_missing_module(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any((kind.id if isinstance(kind, ast.Name) else getattr(kind, "attr", "")) in _MISSING for kind in caught)


def _is_for_types(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _is_about_version(test: ast.expr) -> bool:
    """Whether a test asks for the version of Python: what it leads to stands in for the standard library."""
    return any(isinstance(node, ast.Attribute) and node.attr == "version_info" for node in ast.walk(test))


def _suppresses(context: ast.expr) -> bool:
    if not isinstance(context, ast.Call):
        return False
    func = context.func
    name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    return name == "suppress" and any(isinstance(arg, ast.Name) and arg.id in _MISSING for arg in context.args)


def _is_hosted(name: str) -> bool:
    return name == "google.colab" or name.startswith("google.colab.")


def _is_standard(name: str) -> bool:
    return name in sys.stdlib_module_names or name in _OTHER_STANDARD or name in _HOSTED or name.startswith("_")


def _is_local(script: Script, name: str) -> bool:
    """Whether a module lies beside the script, in a folder above it, or where the script may look for it."""
    folder = script.skill.folder
    if folder is None:
        return False
    if script.relative.removesuffix(".py").endswith(f"/{name}"):
        return True
    for path in beside(script):
        entries = folder.entries(path)
        if _has_module(entries, name):
            return True
        for inner in ("src", "lib", "python", "vendor", "_vendor", "scripts"):
            if entries.get(inner) == "folder" and _has_module(folder.entries(posixpath.join(path, inner)), name):
                return True
    return _lies_below(folder, name)


def _has_module(entries: dict[str, str], name: str) -> bool:
    return entries.get(name) == "folder" or any(
        f"{name}{ending}" in entries for ending in (".py", ".pyi", ".so", ".pyd")
    )


def _lies_below(folder: Folder, name: str) -> bool:
    """Whether a module lies anywhere in the skill: scripts put its folders on their path."""
    waiting, count = [""], 0
    for path in waiting:
        entries = folder.entries(path)
        count += len(entries)
        if count > _MOST_ENTRIES:
            return False
        if _has_module(entries, name):
            return True
        if path.count("/") < 4:
            waiting.extend(
                posixpath.join(path, inner)
                for inner, kind in entries.items()
                if kind == "folder" and inner[0] != "." and inner not in ("node_modules", "__pycache__")
            )
    return False


def _lies_beside_the_skill(script: Script, name: str) -> bool:
    """Whether a module lies in a folder beside one that holds the skill, where a script may look for it."""
    folder = script.skill.folder
    if folder is None:
        return False
    return any(
        kind == "folder" and inner[0] != "." and _has_module(folder.entries(posixpath.join(path, inner)), name)
        for path in {"..", *(path for path in beside(script) if path.startswith(".."))}
        for inner, kind in list(folder.entries(path).items())[:_MOST_FOLDERS]
    )


class _Declared:
    """What the skill of a script says that it needs, wherever it says so."""

    def __init__(self, script: Script) -> None:
        self._script = script
        inline = read(script.text)
        self.requirements = {_normal(found.name) for found in inline.requirements if found.name}
        self.tokens = self.requirements | _tokens(_installed(script)) | _tokens(_front_lines(script.skill))
        self.tokens |= _told(_about_itself(script))
        self._listed: set[str] | None = None
        self._left: set[str] | None = None

    def holds(self, module: str, imported: list[str]) -> bool:
        """Whether a module's distribution is declared."""
        if self._in(self.tokens, module) or self._is_left(module, imported):
            return True
        if self._listed is None:
            self._listed = self._manifests() | _told(self._script.skill.source)
        return self._in(self._listed, module)

    def _in(self, tokens: set[str], module: str) -> bool:
        if any(_normal(name) in tokens for name in _names(module)):
            return True
        start = f"{_normal(module)}-"
        return module in _NAMESPACES and any(token.startswith(start) for token in tokens)

    def _is_left(self, module: str, imported: list[str]) -> bool:
        """Whether a requirement is left that accounts for no import: it may bring a module of another name."""
        if self._left is None:
            self._left = self.requirements - {_normal(name) for other in imported for name in _names(other)}
        return module not in _DISTRIBUTIONS and bool(self._left)

    def _manifests(self) -> set[str]:
        found: set[str] = set()
        folder = self._script.skill.folder
        if folder is None:
            return found
        for path in beside(self._script):
            for name, kind in folder.entries(path).items():
                inner = posixpath.join(path, name)
                if kind == "file" and _MANIFEST.fullmatch(name):
                    text = _text(folder, inner)
                    others = (posixpath.join(path, other) for other in _INCLUDED.findall(text)[:_MOST_TEXTS])
                    found |= _tokens([text, *(_text(folder, other) for other in others)])
                elif path.startswith("..") and name not in _MANIFEST_FOLDERS:
                    continue
                elif kind == "file" and _README.fullmatch(name):
                    found |= _told(_text(folder, inner))
                elif kind == "folder" and name in _MANIFEST_FOLDERS + _TEXT_FOLDERS:
                    for file, what in list(folder.entries(inner).items())[:_MOST_TEXTS]:
                        if what == "file" and file.endswith((".txt", ".in")) and name in _MANIFEST_FOLDERS:
                            found |= _tokens([_text(folder, posixpath.join(inner, file))])
                        elif what == "file" and file.endswith(".md"):
                            found |= _told(_text(folder, posixpath.join(inner, file)))
        return found


def _text(folder: Folder, path: str) -> str:
    size = folder.size(path)
    raw = folder.read(path) if size is not None and size <= _MAX_MANIFEST else None
    return (raw or b"").decode("utf-8", "replace")


def _normal(name: str) -> str:
    """A distribution's name in the form that PEP 503 compares."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _tokens(texts: Iterable[str]) -> set[str]:
    """The words that may be names; `-1.2` of an archive and `.git` of a repository are left off, too."""
    found = {_normal(token) for text in texts for token in _TOKEN.findall(text)}
    return found | {re.sub(r"-(?:git|[0-9][0-9-]*)$", "", token) for token in found}


def _names(module: str) -> list[str]:
    """The names under which a distribution may bring a module."""
    names = [module, *_DISTRIBUTIONS.get(module, ()), *_COMES_WITH.get(module, ())]
    return [
        *names,
        f"py{module}",
        f"python-{module}",
        f"python3-{module}",
        f"{module}-python",
        f"{module}-py",
        f"py-{module}",
        f"{module}py",
    ]


def _front_lines(skill: Skill) -> list[str]:
    """The frontmatter without what tells agents when to use the skill."""
    front = skill.front
    if front is None:
        return []
    return [
        skill.source[node.span.start : node.span.end]
        for node in front.items
        if node.key is not None and node.key.value not in ("name", "description")
    ]


def _installed(script: Script) -> Iterator[str]:
    """What a script may install by itself: lines that do, and where some do all texts that are a requirement."""
    if script.module is None or not _OWN_INSTALL.search(script.source):
        return
    yield from (line for line in script.source.split("\n") if _OWN_INSTALL.search(line[:_WIDTH]))
    for node in ast.walk(script.module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _REQUIREMENT.fullmatch(node.value):
            yield node.value


def _about_itself(script: Script) -> str:
    """The docstring and the comments of a script."""
    docstring = ast.get_docstring(script.module) if script.module is not None else None
    comments = [line.lstrip()[1:] for line in script.source.split("\n") if line.lstrip().startswith("#")]
    return "\n".join([docstring or "", "", *comments])


def _told(text: str) -> set[str]:
    """The names in a text that may be told there as needed.

    Those of lines that speak of installing, those that stand alone as code, those that are
    imported in an example, those below a title such as "Dependencies".
    """
    plain, loose = [], []
    is_below = is_listed = goes_on = False
    for line in text.split("\n"):
        line = line[:_WIDTH]
        if line.startswith("#"):
            is_below = _TELLING_HEADING.match(line) is not None
        is_listed = is_listed and _ITEM.match(line) is not None
        goes_on = goes_on and bool(line.strip())
        manager = _MANAGER.search(line)
        installs = manager is not None and (manager[0] == "uvx" or _ADDS.search(line, manager.end()) is not None)
        if is_below or is_listed or installs or line.lstrip(" >").startswith(("import ", "from ")):
            plain.append(line)
        elif goes_on or _TELLS.search(line):
            loose.append(line)
            is_listed = line.rstrip().endswith((":", "**"))
            goes_on = not line.rstrip().endswith((".", ":", "!", "?"))
        if "`" in line:
            plain.extend(_CODE_SPAN.findall(line))
    return _tokens(plain) | (_tokens(loose) - _WORDS)
