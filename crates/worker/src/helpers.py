# What rewritten code calls in place of what the engine would do otherwise than CPython. It stands before the code, whose names
# cannot be these; what is Python's own is taken here, before the code gives its names to other things. `__refuse__` and `__gap__`
# end the run: the engine's driver answers them, they are not Python. `__loses__` is set before.


def __helpers__(
    AssertionError=AssertionError, BaseException=BaseException, IndexError=IndexError, KeyError=KeyError,
    OverflowError=OverflowError, RuntimeError=RuntimeError, StopIteration=StopIteration, TypeError=TypeError,
    ValueError=ValueError, ZeroDivisionError=ZeroDivisionError, abs=abs, all=all, bool=bool, bytes=bytes, chr=chr, dict=dict,
    float=float, frozenset=frozenset, int=int, isinstance=isinstance, iter=iter, len=len, list=list, max=max, min=min, ord=ord,
    range=range, repr=repr, reversed=reversed, round=round, set=set, sorted=sorted, str=str, tuple=tuple, type=type,
):
    __end__ = lambda: None

    def __added__(a, b):
        if type(a) is not list or type(b) is list:
            return b
        if type(b) is tuple:
            return list(b)
        # One at a time: it may look at the list, or fail in between.
        for x in __order__(b):
            a.append(x)
        return []

    def __any__(items, f):
        for x in items:
            r = f(x)
            if r and r[0]:
                return True
        return False

    def __all__(items, f):
        for x in items:
            r = f(x)
            if r and not r[0]:
                return False
        return True

    def __first__(items, f, *default):
        for x in items:
            r = f(x)
            if r:
                return r[0]
        if default:
            return default[0]
        raise StopIteration

    def __generator__(items, f):
        items = iter(items)
        def step():
            nonlocal items
            # One that raised has ended.
            kept = items
            for x in kept:
                items = iter(())
                r = f(x)
                items = kept
                if r:
                    return r[0]
            return __end__
        return iter(step, __end__)

    # Only where `next` is called within: what is caught and raised anew has lost its line.
    def __guarded__(f):
        def guarded(x):
            try:
                return f(x)
            except StopIteration:
                raise RuntimeError('generator raised StopIteration')
        return guarded

    def __chain__(rows):
        row = iter(())
        def step():
            nonlocal row
            while True:
                for x in row:
                    return x
                for row in rows:
                    break
                else:
                    return __end__
        return iter(step, __end__)

    def __map__(f, first, *more):
        if not more:
            items = iter(__order__(first))
            def step():
                for x in items:
                    return f(x)
                return __end__
            return iter(step, __end__)
        rows = __zip__(first, *more)
        def step_of_rows():
            for row in rows:
                return f(*row)
            return __end__
        return iter(step_of_rows, __end__)

    def __filter__(f, items):
        items = iter(__order__(items))
        def step():
            for x in items:
                if x if f is None else f(x):
                    return x
            return __end__
        return iter(step, __end__)

    def __zip__(*parts, strict=False):
        parts = [iter(__order__(part)) for part in parts]
        def step():
            row = []
            for part in parts:
                for x in part:
                    row.append(x)
                    break
                else:
                    if strict:
                        __uneven__(parts, len(row))
                    return __end__
            return tuple(row) if row else __end__
        return iter(step, __end__)

    def __uneven__(parts, ended):
        if ended:
            raise ValueError(f"zip() argument {ended + 1} is shorter than argument{' 1' if ended == 1 else 's 1-' + str(ended)}")
        for n in range(1, len(parts)):
            for x in parts[n]:
                raise ValueError(f"zip() argument {n + 1} is longer than argument{' 1' if n == 1 else 's 1-' + str(n)}")

    def __enumerate__(iterable, start=0):
        items = iter(__order__(iterable))
        n = start - 1
        def step():
            nonlocal n
            for x in items:
                n += 1
                return (n, x)
            return __end__
        return iter(step, __end__)

    def __reversed__(items):
        if type(items) is not list:
            return iter(reversed(items))
        n = len(items)
        def step():
            nonlocal n
            n -= 1
            return items[n] if 0 <= n < len(items) else __end__
        return iter(step, __end__)

    def __round__(number, ndigits=None):
        x = number
        if ndigits is None or type(ndigits) is not int and type(ndigits) is not bool:
            return round(x, ndigits)
        ndigits = int(ndigits)
        if type(x) is int or type(x) is bool:
            if ndigits >= 0:
                return int(x)
            step = 1
            while ndigits and step <= 2 * abs(x):
                step *= 10
                ndigits += 1
            # What is left would be zeros before a zero.
            return 0 if ndigits else __nearest__(int(x), step, False)
        if type(x) is not float:
            return round(x, ndigits)
        if x != x or x in (float('inf'), float('-inf')) or x == 0.0 or ndigits > 323:
            return x
        if ndigits >= 0:
            return float(f'{x:.{ndigits}f}')
        if ndigits < -308:
            return 0.0 * x
        whole = int(abs(x))
        near = float(__nearest__(whole, 10 ** -ndigits, abs(x) != whole))
        return near if x > 0 else -near

    def __nearest__(n, step, more):
        below = n // step * step
        twice = 2 * (n - below)
        if twice > step or twice == step and (more or n // step % 2):
            return below + step
        return below

    def __center__(o, *a):
        r = o.center(*a)
        if type(o) is str and len(r) > len(o):
            left = (len(r) - len(o)) // 2 + ((len(r) - len(o)) & a[0] & 1)
            fill = a[1] if len(a) > 1 else ' '
            return fill * left + o + fill * (len(r) - len(o) - left)
        return r

    def __past__(o, a):
        if type(o) is not str or len(a) < 2:
            return False
        n = len(o)
        start = 0 if a[1] is None else a[1]
        end = n if len(a) < 3 or a[2] is None else a[2]
        if start < 0:
            start = max(start + n, 0)
        if end < 0:
            end = max(end + n, 0)
        return start > min(end, n)

    def __find__(o, *a):
        r = o.find(*a)
        return -1 if __past__(o, a) else r

    def __rfind__(o, *a):
        r = o.rfind(*a)
        return -1 if __past__(o, a) else r

    def __index__(o, *a):
        if type(o) is list:
            try:
                return o.index(*a)
            except ValueError:
                raise ValueError(f'{__shown__(a[0])!r} is not in list')
        r = o.index(*a)
        if __past__(o, a):
            raise ValueError('substring not found')
        return r

    def __rindex__(o, *a):
        r = o.rindex(*a)
        if __past__(o, a):
            raise ValueError('substring not found')
        return r

    def __count__(o, *a):
        r = o.count(*a)
        return 0 if __past__(o, a) else r

    def __startswith__(o, *a):
        r = o.startswith(*a)
        return False if __past__(o, a) else r

    def __endswith__(o, *a):
        r = o.endswith(*a)
        return False if __past__(o, a) else r

    def __ascii__(o, what):
        if type(o) is str and not o.isascii():
            __refuse__(what)
        return o

    def __title__(o, *a):
        return __ascii__(o, '`title` of letters beyond ASCII').title(*a)

    def __istitle__(o, *a):
        return __ascii__(o, '`istitle` of letters beyond ASCII').istitle(*a)

    def __capitalize__(o, *a):
        return __ascii__(o, '`capitalize` of letters beyond ASCII').capitalize(*a)

    def __casefold__(o, *a):
        return __ascii__(o, '`casefold` of letters beyond ASCII').casefold(*a)

    def __splitlines__(o, *a, **k):
        if type(o) is str:
            for c in '\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029':
                if c in o:
                    __refuse__('`splitlines` of lines that end with other than a line feed or carriage return')
        return o.splitlines(*a, **k)

    def __pow__(a, b):
        r = a**b
        if type(r) is float and r != r and a == a and b == b:
            __refuse__('complex numbers')
        return r

    def __percent__(a, b):
        if type(a) is not str:
            return a % b
        mapping = type(b) is dict or type(b) is list or type(b) is range or type(b) is bytes
        values = list(b) if type(b) is tuple else [b]
        out = []
        at = 0
        while at < len(a):
            c = a[at]
            at += 1
            if c != '%':
                out.append(c)
                continue
            if a[at:at + 1] == '%':
                out.append('%')
                at += 1
                continue
            if a[at:at + 1] == '(':
                if not mapping:
                    raise TypeError('format requires a mapping')
                start = at + 1
                depth = 0
                while True:
                    if at == len(a):
                        raise ValueError('incomplete format key')
                    depth += 1 if a[at] == '(' else -1 if a[at] == ')' else 0
                    at += 1
                    if depth == 0:
                        break
                values = [b[a[start:at - 1]]]
            flags = ''
            while a[at:at + 1] and a[at] in '-+ 0#':
                flags += a[at]
                at += 1
            sizes = [0, None]
            for n in range(2):
                if n == 1:
                    if a[at:at + 1] != '.':
                        break
                    at += 1
                    sizes[1] = 0
                if a[at:at + 1] == '*':
                    at += 1
                    if not values:
                        raise TypeError('not enough arguments for format string')
                    sizes[n] = values.pop(0)
                    if not isinstance(sizes[n], int):
                        raise TypeError('* wants int')
                else:
                    start = at
                    while a[at:at + 1] and a[at] in '0123456789':
                        at += 1
                    if at > start:
                        sizes[n] = int(a[start:at])
            width, precision = sizes
            if width < 0:
                flags += '-'
                width = -width
            if precision is not None and precision < 0:
                precision = 0
            if a[at:at + 1] and a[at] in 'hlL':
                at += 1
            if at == len(a):
                raise ValueError('incomplete format')
            c = a[at]
            at += 1
            if not values:
                raise TypeError('not enough arguments for format string')
            value = values.pop(0)
            if c not in 'srcdiuxXoeEfFgG':
                if c == 'a':
                    __refuse__('`%a`')
                shown = c if ' ' <= c <= '~' else '?'
                raise ValueError(f"unsupported format character '{shown}' (0x{ord(c):x}) at index {at - 1}")
            out.append(__filled__(c, value, flags, width, precision))
        if values and not mapping:
            raise TypeError('not all arguments converted during string formatting')
        return ''.join(out)

    def __filled__(c, value, flags, width, precision):
        sign = '+' if '+' in flags else ' ' if ' ' in flags else ''
        zero = '0' in flags and '-' not in flags
        if c == 's' or c == 'r':
            text = str(__shown__(value)) if c == 's' else repr(__shown__(value))
            text = text if precision is None else text[:precision]
        elif c == 'c':
            if isinstance(value, int):
                if not 0 <= value < 0x110000:
                    raise OverflowError('%c arg not in range(0x110000)')
                text = chr(value)
            elif type(value) is str and len(value) == 1:
                text = value
            else:
                raise TypeError('%c requires int or char')
        elif c in 'eEfFgG':
            if not isinstance(value, (int, float)):
                raise TypeError(f'must be real number, not {type(value).__name__}')
            if '#' in flags or precision is not None and precision > 300:
                __refuse__('`%` of numbers in this form')
            size = f'0{width}' if zero else ''
            return __padded__(f"{float(value):{sign}{size}.{6 if precision is None else precision}{c}}", flags, width)
        else:
            if c in 'diu' and isinstance(value, float):
                value = int(value)
            if not isinstance(value, int):
                what = 'a real number' if c in 'diu' else 'an integer'
                raise TypeError(f'%{c} format: {what} is required, not {type(value).__name__}')
            value = int(value)
            digits = f'{abs(value)}' if c in 'diu' else f'{abs(value):{c}}'
            if precision is not None:
                digits = '0' * (precision - len(digits)) + digits
            before = '-' if value < 0 else sign
            if '#' in flags and c in 'xXo':
                before += '0' + c
            if zero:
                digits = '0' * (width - len(before) - len(digits)) + digits
            text = before + digits
        return __padded__(text, flags, width)

    def __padded__(text, flags, width):
        blanks = ' ' * (width - len(text))
        return text + blanks if '-' in flags else blanks + text

    def __exponent__(a, b):
        if isinstance(a, (int, float)) and type(b) is float:
            __pow__(a, b)
        return b

    def __type__(*a):
        if len(a) == 1 and isinstance(a[0], BaseException):
            __refuse__('the type of an exception')
        return type(*a)

    def __caught__(e, shown):
        # By `isinstance`: the engine's `type(e)` is no exception's type.
        plain = isinstance(e, (KeyError, IndexError, ZeroDivisionError, AssertionError, StopIteration))
        if isinstance(e, ValueError) and not shown:
            # Most are the code's; where the driver cannot be called (within `sorted`) it need not be.
            text = str(e)
            plain = text.isascii() and '_' not in text and not text.startswith(('pow()', 'Unknown format'))
        if shown or not plain:
            __gap__(e, shown)

    def __order__(s):
        if type(s) is not set and type(s) is not frozenset or len(s) < 2:
            return s
        whole = []
        others = []
        fixed = 0
        for x in s:
            if type(x) is int or type(x) is bool:
                whole.append(x)
            else:
                others.append(x)
                if __is_fixed__(x):
                    fixed += 1
        if len(whole) + fixed < 2:
            return s
        # What CPython's table has at least, so that each number has a place of its own there.
        table = 8
        while len(s) * 5 >= (table - 1) * 3:
            table *= 2
        if fixed or __loses__ or min(whole) < 0 or max(whole) >= table:
            __refuse__('the order of a set of such values')
        if whole + others == list(s) and whole == sorted(whole):
            return s
        ordered = sorted(whole) + others
        if type(s) is frozenset:
            return frozenset(ordered)
        s.clear()
        s.update(ordered)
        return s

    def __is_fixed__(x):
        if type(x) is tuple or type(x) is frozenset:
            return all([__is_fixed__(y) for y in x])
        return type(x) in (int, bool, float, range) or x == ''

    def __pop__(o, *a):
        return __order__(o).pop(*a)

    def __shown__(x):
        t = type(x)
        if t is list or t is tuple:
            for y in x:
                __shown_within__(y)
        elif t is dict:
            for y in x:
                __shown_within__(y)
            for y in x.values():
                __shown_within__(y)
        elif t is set or t is frozenset:
            return __order__(x)
        return x

    def __shown_within__(x):
        if type(x) is frozenset and list(__order__(x)) != list(x):
            __refuse__('the order of a set of such values')
        __shown__(x)

    def __summed__(s):
        if (type(s) is set or type(s) is frozenset) and len(s) > 2 and float in [type(x) for x in s]:
            __refuse__('the order of a set of such values')
        return s

    return (
        __added__, __any__, __all__, __first__, __generator__, __guarded__, __chain__, __map__, __filter__, __zip__,
        __enumerate__, __reversed__, __round__, __center__, __find__, __rfind__, __index__, __rindex__, __count__,
        __startswith__, __endswith__, __title__, __istitle__, __capitalize__, __casefold__, __splitlines__, __pow__,
        __percent__, __exponent__, __type__, __caught__, __order__, __pop__, __shown__, __summed__,
    )


(
    __added__, __any__, __all__, __first__, __generator__, __guarded__, __chain__, __map__, __filter__, __zip__,
    __enumerate__, __reversed__, __round__, __center__, __find__, __rfind__, __index__, __rindex__, __count__, __startswith__,
    __endswith__, __title__, __istitle__, __capitalize__, __casefold__, __splitlines__, __pow__, __percent__, __exponent__,
    __type__, __caught__, __order__, __pop__, __shown__, __summed__,
) = __helpers__()
