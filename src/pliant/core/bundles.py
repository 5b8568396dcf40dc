"""Named tuples of arrays, handed to loops by reference.

numba hands a named tuple on by value. Each array of it is seven numbers or more, a mechanism four hundred,
and every function that is handed one takes them all in, counts references to every array, and hands them on.
A `Bundle` is one pointer to where the fields lie, in the frame of whoever called: nothing is counted, and
only fields that are read are loaded. It lasts as long as the call, so no loop may return one; an array that
is taken out of one is counted like any other.

This is numba's way to add a type, as its chapter on extending has it, but for what `core.kernel` asks of
dispatchers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from itertools import accumulate
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_cast, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, unbox

WORD = 8  # bytes: every field begins at a multiple of it
BYTE: Any = ir.IntType(8)


class Bundle(types.BaseTuple):
    """A named tuple that lies somewhere else; in it, named tuples lie side by side with the other fields.

    To numba it is a tuple: so it can be unpacked, and read by an index that is a constant.
    """

    def __init__(self, named: Any) -> None:
        self.instance_class = named.instance_class
        self.fields: tuple[str, ...] = tuple(named.fields)
        self.types: tuple[Any, ...] = tuple(map(by_reference, named.types))
        self.count = len(self.types)
        told = blake2b(f"{self.fields} {self.types}".encode(), digest_size=8).hexdigest()
        super().__init__(f"{self.instance_class.__name__} {told}")  # short: it stands in every symbol's name

    @property
    def key(self) -> Any:
        """What makes two of them one type."""
        return self.instance_class, self.types

    def __len__(self) -> int:
        return self.count


def by_reference(kind: Any) -> Any:
    """The type that a loop is handed for one of numba's: the same, but for named tuples that hold arrays."""
    return _bundle(kind) if _holds_arrays(kind) else kind


@cache
def _bundle(kind: Any) -> Bundle:
    return Bundle(kind)


def _holds_arrays(kind: Any) -> bool:
    held = (types.Array, Bundle, types.BaseNamedTuple)
    named: Any = kind if isinstance(kind, types.BaseNamedTuple) else None
    return named is not None and any(isinstance(each, held) for each in named.types)


def refuse_returned(kind: Any, name: str) -> None:
    """Raise TypeError where a loop returns a bundle, or a tuple that holds one: it may not last so long."""
    if isinstance(kind, Bundle):
        raise TypeError(
            f"{name} returns the {kind.instance_class.__name__} that it was handed; return its fields"
        )
    for each in getattr(kind, "types", ()):
        refuse_returned(each, name)


@register_model(Bundle)
class _BundleModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, BYTE.as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Bundle

    def generic_resolve(self, bundle: Bundle, attr: str) -> Any:
        return bundle.types[bundle.fields.index(attr)] if attr in bundle.fields else None


@lower_getattr_generic(Bundle)
def _field(context: Any, builder: Any, bundle: Bundle, value: Any, attr: str) -> Any:
    return _read(context, builder, bundle, value, bundle.fields.index(attr))


@lower_builtin("static_getitem", Bundle, types.IntegerLiteral)
@lower_builtin("static_getitem", Bundle, types.SliceLiteral)
def _item(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """A field by its number, or some of them; what is unpacked is read so too."""
    bundle, (value, index) = sig.args[0], args
    numbers = range(len(bundle))[index]
    if isinstance(numbers, int):
        return _read(context, builder, bundle, value, numbers)
    fields = [_read(context, builder, bundle, value, k) for k in numbers]
    return context.make_tuple(builder, sig.return_type, fields)


def _read(context: Any, builder: Any, bundle: Bundle, value: Any, k: int) -> Any:
    """Field k: another bundle is where it lies."""
    kind, at = _layout(context, bundle)[k]
    place = _field_pointer(context, builder, kind, value, at)
    if isinstance(kind, Bundle):
        return place
    return impl_ret_borrowed(context, builder, kind, builder.load(place))


@lower_cast(types.BaseNamedTuple, Bundle)
def _put(context: Any, builder: Any, fromty: Any, toty: Bundle, val: Any) -> Any:
    """A named tuple that was made in a loop, put where what it calls finds it."""
    room = _room(context, builder, toty)
    _store(context, builder, fromty, toty, val, room)
    return room


def _store(context: Any, builder: Any, named: Any, bundle: Bundle, value: Any, room: Any) -> None:
    for k, (kind, at) in enumerate(_layout(context, bundle)):
        given, field = named.types[k], builder.extract_value(value, k)
        place = _field_pointer(context, builder, kind, room, at)
        if isinstance(given, Bundle):
            cgutils.raw_memcpy(builder, place, field, ir.Constant(ir.IntType(64), size(context, given)), 1)
        elif isinstance(kind, Bundle):
            _store(context, builder, given, kind, field, place)
        else:
            builder.store(field, place)


@unbox(Bundle)
def _unboxed(typ: Bundle, obj: Any, c: Any) -> NativeValue:
    """A named tuple of Python's, put in the frame of the wrapper that numba calls a loop by."""
    room, failed = _room(c.context, c.builder, typ), cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    fields = list(_unboxed_fields(typ, obj, c, room, failed))

    def cleanup() -> None:
        for kind, place, own in fields:
            if own is not None:
                own()
            c.context.nrt.decref(c.builder, kind, c.builder.load(place))

    return NativeValue(room, is_error=c.builder.load(failed), cleanup=cleanup)


def _unboxed_fields(typ: Bundle, obj: Any, c: Any, room: Any, failed: Any) -> Iterator[tuple[Any, Any, Any]]:
    for k, (kind, at) in enumerate(_layout(c.context, typ)):
        field, place = c.pyapi.tuple_getitem(obj, k), _field_pointer(c.context, c.builder, kind, room, at)
        if isinstance(kind, Bundle):
            yield from _unboxed_fields(kind, field, c, place, failed)
            continue
        if isinstance(kind, types.Array):
            is_error, cleanup = c.builder.call(_unboxer(kind, place.type, c), [field, place]), None
        else:
            native = c.unbox(kind, field)
            c.builder.store(native.value, place)
            is_error, cleanup = native.is_error, native.cleanup
        with c.builder.if_then(is_error, likely=False):
            c.builder.store(cgutils.true_bit, failed)
        yield kind, place, cleanup


def _unboxer(kind: Any, place: Any, c: Any) -> Any:
    """A function that puts an array of Python's somewhere, and whether it could not: one for each type."""
    module, name = c.builder.module, f"pliant.unbox.{kind}"
    if name not in module.globals:
        made = ir.Function(module, ir.FunctionType(ir.IntType(1), [c.pyapi.pyobj, place]), name)
        made.linkage = "internal"
        made.attributes.add("noinline")
        builder = ir.IRBuilder(made.append_basic_block())
        native = c.context.get_python_api(builder).to_native_value(kind, made.args[0])
        builder.store(native.value, made.args[1])
        builder.ret(native.is_error)
    return module.globals[name]


def _room(context: Any, builder: Any, bundle: Bundle) -> Any:
    """Room for the fields, in the frame of the function that is being compiled."""
    words = ir.ArrayType(ir.IntType(64), size(context, bundle) // WORD)
    return builder.bitcast(cgutils.alloca_once(builder, words), BYTE.as_pointer())


def _field_pointer(context: Any, builder: Any, kind: Any, base: Any, at: int) -> Any:
    """Where a field lies that begins so many bytes behind another."""
    found = BYTE.as_pointer() if isinstance(kind, Bundle) else context.get_value_type(kind).as_pointer()
    return builder.bitcast(builder.gep(base, [ir.Constant(ir.IntType(64), at)]), found)


@cache
def _layout(context: Any, bundle: Bundle) -> list[tuple[Any, int]]:
    """The fields' types, and after how many bytes they begin."""
    sizes = [size(context, kind) for kind in bundle.types]
    return list(zip(bundle.types, accumulate(sizes, initial=0), strict=False))


@cache
def size(context: Any, kind: Any) -> int:
    """Bytes of a field, in whole words."""
    if isinstance(kind, Bundle):
        return sum(size(context, each) for each in kind.types)
    return -(-context.get_abi_sizeof(context.get_value_type(kind)) // WORD) * WORD
