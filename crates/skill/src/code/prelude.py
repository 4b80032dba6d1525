# What stands before a program: `env`, `re` and `literal_eval` as the printed programs use them. What this code needs has a name with an
# underscore before it, so that a program may call its own variables anything else. Host functions with such names are answered beside
# the world (`host.rs`).
_act = act
_dict = dict
_float = float
_int = int
_isinstance = isinstance
_iter = iter
_len = len
_list = list
_max = max
_min = min
_range = range
_repr = repr
_set = set
_str = str
_tuple = tuple
_type = type

class _Match:
    def _span(self, group):
        number = self._names.get(group, -1) if _isinstance(group, _str) else group
        if not _isinstance(number, _int) or number < 0 or number >= _len(self._spans):
            raise IndexError('no such group')
        return self._spans[number]
    def _text(self, group, default=None):
        span = self._span(group)
        return default if span is None else self.string[span[0]:span[1]]
    def group(self, *groups):
        texts = [self._text(group) for group in groups]
        if _len(texts) == 1:
            return texts[0]
        return _tuple(texts) if texts else self._text(0)
    def groups(self, default=None):
        return _tuple([self._text(number, default) for number in _range(1, _len(self._spans))])
    def groupdict(self, default=None):
        return {name: self._text(name, default) for name in self._names}
    def start(self, group=0):
        return self.span(group)[0]
    def end(self, group=0):
        return self.span(group)[1]
    def span(self, group=0):
        span = self._span(group)
        return (-1, -1) if span is None else (span[0], span[1])
    def expand(self, template):
        return _expanded(self, template)
    def __repr__(self):
        return '<re.Match object; span=' + _repr(self.span()) + ', match=' + _repr(self._text(0))[:50] + '>'

def _expanded(match, template):
    if '\\' not in template:
        return template
    parts = []
    at = 0
    while at < _len(template):
        c = template[at]
        at += 1
        if c != '\\':
            parts.append(c)
            continue
        c = template[at:at + 1]
        at += 1
        if c == 'g' and template[at:at + 1] == '<' and '>' in template[at:]:
            name = template[at + 1:template.index('>', at)]
            at += _len(name) + 2
            parts.append(match._text(_int(name) if name.isdigit() else name, ''))
        elif c in _ESCAPES:
            parts.append(_ESCAPES[c])
        elif c.isdigit() and c != '0':
            if template[at:at + 1].isdigit():
                c += template[at]
                at += 1
            parts.append(match._text(_int(c), ''))
        elif c == '' or c.isalnum():
            _refused('not supported by the sandbox: the replacement ' + _repr(template))
        else:
            parts.append('\\' + c)
    return ''.join(parts)

_ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', '\\': '\\'}

class _Pattern:
    def _found(self, string, pos, endpos, which):
        if not _isinstance(string, _str):
            raise TypeError("expected string or bytes-like object, got '" + _type(string).__name__ + "'")
        end = _len(string) if endpos is None else _max(0, _min(endpos, _len(string)))
        names, found = _matches(self.pattern, self.flags, string[:end], _max(0, _min(pos, end)), which)
        matches = []
        for spans in found:
            it = _Match()
            it.re, it.string, it.pos, it.endpos = self, string, pos, end
            it._spans, it._names = spans, {name: number for name, number in names}
            matches.append(it)
        return matches
    def _first(self, string, pos, endpos, which):
        found = self._found(string, pos, endpos, which)
        return found[0] if found else None
    def search(self, string, pos=0, endpos=None):
        return self._first(string, pos, endpos, 'search')
    def match(self, string, pos=0, endpos=None):
        return self._first(string, pos, endpos, 'match')
    def fullmatch(self, string, pos=0, endpos=None):
        return self._first(string, pos, endpos, 'fullmatch')
    def findall(self, string, pos=0, endpos=None):
        items = []
        for match in self._found(string, pos, endpos, 'all'):
            groups = match.groups('')
            items.append(match.group() if not groups else groups[0] if _len(groups) == 1 else groups)
        return items
    def finditer(self, string, pos=0, endpos=None):
        return _iter(self._found(string, pos, endpos, 'all'))
    def split(self, string, maxsplit=0):
        parts = []
        at = 0
        for match in _upto(self._found(string, 0, None, 'all'), maxsplit):
            parts.append(string[at:match.start()])
            parts.extend(match.groups())
            at = match.end()
        return parts + [string[at:]]
    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]
    def subn(self, repl, string, count=0):
        parts = []
        at = 0
        found = _upto(self._found(string, 0, None, 'all'), count)
        for match in found:
            text = _expanded(match, repl) if _isinstance(repl, _str) else repl(match)
            parts.append(string[at:match.start()])
            parts.append('' if text is None else text)
            at = match.end()
        return ''.join(parts) + string[at:], _len(found)
    def __repr__(self):
        return 're.compile(' + _repr(self.pattern) + ')'

def _upto(found, count):
    # None are counted by 0, and none are taken by less.
    return found[:_max(0, count)] if count else found

class _Re:
    NOFLAG = 0
    ASCII = 256
    A = 256
    DOTALL = 16
    S = 16
    IGNORECASE = 2
    I = 2
    MULTILINE = 8
    M = 8
    UNICODE = 32
    U = 32
    VERBOSE = 64
    X = 64
    Match = _Match
    Pattern = _Pattern
    def compile(self, pattern, flags=0):
        if _isinstance(pattern, _Pattern):
            if flags:
                raise ValueError('cannot process flags argument with a compiled pattern')
            return pattern
        if not _isinstance(pattern, _str):
            raise TypeError('first argument must be string or compiled pattern')
        it = _Pattern()
        it.pattern, it.flags = pattern, flags | 32
        return it
    def search(self, pattern, string, flags=0):
        return self.compile(pattern, flags).search(string)
    def match(self, pattern, string, flags=0):
        return self.compile(pattern, flags).match(string)
    def fullmatch(self, pattern, string, flags=0):
        return self.compile(pattern, flags).fullmatch(string)
    def findall(self, pattern, string, flags=0):
        return self.compile(pattern, flags).findall(string)
    def finditer(self, pattern, string, flags=0):
        return self.compile(pattern, flags).finditer(string)
    def split(self, pattern, string, maxsplit=0, flags=0):
        return self.compile(pattern, flags).split(string, maxsplit)
    def sub(self, pattern, repl, string, count=0, flags=0):
        return self.compile(pattern, flags).sub(repl, string, count)
    def subn(self, pattern, repl, string, count=0, flags=0):
        return self.compile(pattern, flags).subn(repl, string, count)
    def escape(self, pattern):
        return ''.join(['\\' + c if c in '()[]{}?*+-|^$\\.&~# \t\n\r\v\f' else c for c in pattern])

class _Env:
    # `env.step([action])` is the household's form, which gives lists, `env.step(id, action)` the shop's.
    def step(self, first, action=None):
        if action is None:
            if _isinstance(first, _list):
                first = first[0]
            observation, reward, done, won = _act(first)
            return [observation], [reward], [done], {'won': [won]}
        observation, reward, done, won = _act(action)
        return observation, reward, done

def literal_eval(node_or_string):
    if not _isinstance(node_or_string, _str):
        raise ValueError('malformed node or string: ' + _repr(node_or_string))
    made, wrong, why = _read_literal(node_or_string)
    if wrong == 'SyntaxError':
        raise SyntaxError(why)
    if wrong is not None:
        raise ValueError(why)
    return _built(made)

def _built(made):
    if not _isinstance(made, _dict):
        return made
    for kind, inside in made.items():
        if kind == 'bytes':
            return inside.encode()
        if kind == 'int':
            return _int(inside)
        if kind == 'float':
            return _float(inside)
        parts = [_built(part) for part in inside]
        if kind == 'tuple':
            return _tuple(parts)
        if kind == 'set':
            return _set(parts)
        if kind == 'dict':
            return {key: value for key, value in parts}
        return parts

class _Ast:
    def literal_eval(self, node_or_string):
        return _literal_eval(node_or_string)

class _Numpy:
    pass

_literal_eval = literal_eval
_re = _Re()
_modules = {'ast': _Ast(), 'numpy': _Numpy(), 're': _re}

# What Python brings itself, and numpy; of any other module it says that there is none.
_known = (
    'abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins '
    'bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent '
    'configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis '
    'distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib '
    'functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib '
    'imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap '
    'marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers '
    'opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix '
    'posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline '
    'reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr '
    'socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct '
    'subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading '
    'time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata '
    'unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile '
    'zipimport zlib zoneinfo'
    ' numpy'
).split()

def _unknown(module, how):
    name = module.split('.')[0]
    if name in _known:
        _refused('not allowed in the sandbox: `' + how + '`')
    raise ModuleNotFoundError("No module named '" + name + "'")

# The worker makes a call of these of an `import` in a program.
def _module(name):
    if name not in _modules:
        _unknown(name, 'import ' + name)
    return _modules[name]

def _member(module, name):
    if module == 'ast' and name == 'literal_eval':
        return _literal_eval
    members = {
        'search': _re.search, 'match': _re.match, 'fullmatch': _re.fullmatch, 'findall': _re.findall, 'finditer': _re.finditer,
        'split': lambda *a, **k: _re.split(*a, **k), 'sub': _re.sub, 'subn': _re.subn, 'compile': _re.compile, 'escape': _re.escape,
        'I': 2, 'IGNORECASE': 2, 'M': 8, 'MULTILINE': 8, 'S': 16, 'DOTALL': 16, 'Match': _Match, 'Pattern': _Pattern,
    }
    if module != 're' or name not in members:
        _unknown(module, 'from ' + module + ' import ' + name)
    return members[name]

env = _Env()
re = _re
env_id = 0
