/* Layouts: nodes are made, checked and updated here, and leave the collector's list. */

#include "kernel.h"

#include <structmember.h>

PyObject *Node = NULL;

/* ---- What can be part of a cycle ----------------------------------------------------------------

   A node holds strings, numbers, other nodes, tuples of such, attributes, and never changes.  If
   all it holds was there before and cannot lead back to it, no cycle leads through it, and the
   collector of CPython need not look at it.  CPython does so itself with tuples of numbers.
   Whatever is not known to be harmless keeps a node, and all above it, on the list. */

#define DEEPEST 8

static PyObject *frozen_classes = NULL; /* a tuple: of their objects, which never change */
static PyObject *lasting_classes = NULL; /* a tuple: of their objects, which outlive programs */
static PyObject *closed_classes = NULL; /* a tuple: of frozen ones that share no dictionary */

typedef struct {
    PyObject *owner;
    int depth;
} Reach;

static bool
is_of(PyObject *value, PyObject *classes)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); i++) {
        if (PyObject_TypeCheck(value, (PyTypeObject *)PyTuple_GET_ITEM(classes, i))) {
            return true;
        }
    }
    return false;
}

static int
visit_held(PyObject *held, void *argument)
{
    Reach *reach = argument;
    if (held == NULL || held == (PyObject *)Py_TYPE(reach->owner)) {
        return 0;
    }
    if (PyDict_CheckExact(held) && is_of(reach->owner, closed_classes)) {
        Reach inside = {held, reach->depth + 1};
        return Py_TYPE(held)->tp_traverse(held, visit_held, &inside);
    }
    return may_be_cyclic(held, reach->depth + 1);
}

/* Returns whether an object never changes, named tuples included; one with a dictionary may. */
static bool
is_frozen(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    bool is_named_tuple = PyTuple_Check(value) && type->tp_basicsize == PyTuple_Type.tp_basicsize;
    return type->tp_dictoffset == 0 && (is_named_tuple || is_of(value, frozen_classes));
}

bool
may_be_cyclic(PyObject *value, int depth)
{
    if (!PyObject_IS_GC(value)) {
        return false;
    }
    if (!PyObject_GC_IsTracked(value)) { /* these are put on the list later */
        return PyDict_CheckExact(value) || PyFrame_Check(value) || PyGen_CheckExact(value);
    }
    if (depth > DEEPEST) {
        return true;
    }
    if (PyTuple_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++) {
            PyObject *item = PyTuple_GET_ITEM(value, i);
            if (item == NULL || may_be_cyclic(item, depth + 1)) {
                return true;
            }
        }
    }
    else if (is_frozen(value)) {
        Reach reach = {value, depth};
        if (Py_TYPE(value)->tp_traverse(value, visit_held, &reach)) {
            return true;
        }
    }
    else {
        return !is_of(value, lasting_classes);
    }
    PyObject_GC_UnTrack(value);
    return false;
}

PyObject *
kernel_settle(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject **kept[] = {&frozen_classes, &lasting_classes, &closed_classes}, *told[3];
    if (!PyArg_ParseTuple(
            args, "O!O!O!:settle", &PyTuple_Type, &told[0], &PyTuple_Type, &told[1], &PyTuple_Type,
            &told[2])) {
        return NULL;
    }
    for (int which = 0; which < 3; which++) {
        PyObject *given = told[which];
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); i++) {
            if (!PyType_Check(PyTuple_GET_ITEM(given, i))) {
                PyErr_SetString(PyExc_TypeError, "settle takes classes");
                return NULL;
            }
        }
        PyObject *more = PySequence_Concat(*kept[which], given);
        if (more == NULL) {
            return NULL;
        }
        Py_SETREF(*kept[which], more);
    }
    Py_RETURN_NONE;
}

/* ---- Making nodes ---------------------------------------------------------------------------- */

PyObject *
layout_fill(Layout *layout, PyObject **values)
{
    PyTypeObject *kind = layout->kind;
    PyObject *node = (PyObject *)PyObject_GC_New(PyObject, kind);
    if (node == NULL) {
        for (Py_ssize_t i = 0; i < layout->size; i++) {
            Py_DECREF(values[i]);
        }
        return NULL;
    }
    memset((char *)node + sizeof(PyObject), 0, kind->tp_basicsize - sizeof(PyObject));
    bool cyclic = false;
    for (Py_ssize_t i = 0; i < layout->size; i++) {
        SLOT(node, layout->fields[i].offset) = values[i];
        cyclic = cyclic || may_be_cyclic(values[i], 0);
    }
    if (PyTuple_GET_SIZE(layout->derived)) {
        PyObject_GC_Track(node); /* so that what is derived cannot hold it unnoticed */
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(layout->derived); i++) {
        PyObject *value = PyObject_CallOneArg(PyTuple_GET_ITEM(layout->derived, i), node);
        if (value == NULL) {
            Py_DECREF(node);
            return NULL;
        }
        Py_XSETREF(SLOT(node, layout->derived_offsets[i]), value);
        cyclic = cyclic || may_be_cyclic(value, 0);
    }
    if (cyclic != PyObject_GC_IsTracked(node)) {
        (cyclic ? PyObject_GC_Track : PyObject_GC_UnTrack)(node);
    }
    return node;
}

/* Returns 1 if a value may stand in a field as it is, 0 if it has to be repaired, or -1. */
static int
fits(LayoutField *field, PyObject *value)
{
    PyObject *kind = (PyObject *)Py_TYPE(value);
    switch (field->check) {
    case CONVERT:
        return 0;
    case IN_KINDS_OR_NONE:
        if (value == Py_None) {
            return 1;
        }
        /* fall through */
    case IN_KINDS:
        return PySet_Contains(field->accepted, kind);
    case ALL_IN_KINDS:
        if (!PyTuple_CheckExact(value)) {
            return 0;
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++) {
            kind = (PyObject *)Py_TYPE(PyTuple_GET_ITEM(value, i));
            int found = PySet_Contains(field->accepted, kind);
            if (found != 1) {
                return found;
            }
        }
        return 1;
    case EXACT:
        return kind == field->accepted || (field->or_none && value == Py_None);
    case INSTANCE:
        if (kind == field->accepted || (field->or_none && value == Py_None)) {
            return 1;
        }
        return PyObject_IsInstance(value, field->accepted);
    }
    Py_UNREACHABLE();
}

/* Lets owned values through as the generated constructor does; returns 0, or -1. */
static int
check_value(Layout *layout, LayoutField *field, PyObject **value)
{
    int is_fit = fits(field, *value);
    if (is_fit != 0) {
        return is_fit < 0 ? -1 : 0;
    }
    PyObject *taken[] = {(PyObject *)layout->kind, field->field, *value};
    PyObject *repaired = PyObject_Vectorcall(layout->repair, taken, 3, NULL);
    if (repaired == NULL) {
        return -1;
    }
    Py_SETREF(*value, repaired);
    return 0;
}

/* Makes a node of owned values, which are still to be checked. */
static PyObject *
checked_fill(Layout *layout, PyObject **values)
{
    for (Py_ssize_t i = 0; i < layout->size; i++) {
        if (check_value(layout, &layout->fields[i], &values[i]) < 0) {
            for (Py_ssize_t j = 0; j < layout->size; j++) {
                Py_DECREF(values[j]);
            }
            return NULL;
        }
    }
    return layout_fill(layout, values);
}

/* The same of borrowed values. */
static PyObject *
fill_borrowed(Layout *layout, PyObject **values)
{
    for (Py_ssize_t i = 0; i < layout->size; i++) {
        Py_INCREF(values[i]);
    }
    Py_INCREF(layout);
    PyObject *made = checked_fill(layout, values);
    Py_DECREF(layout);
    return made;
}

static PyObject *construct(PyObject *kind, PyObject *const *args, size_t flags, PyObject *names);

/* Returns the layout that makes nodes of a kind, borrowed; NULL if there is none, or if somebody
   has put another constructor, or other code, in the place of the one it stands for, or has more
   done when the class is called. */
static Layout *
layout_in_use(PyTypeObject *kind)
{
    if (kind->tp_vectorcall != construct) {
        return NULL; /* also of what is no node: only kinds are looked at */
    }
    if (kind->tp_init != PyBaseObject_Type.tp_init
        || Py_TYPE(kind)->tp_call != PyType_Type.tp_call) {
        return NULL;
    }
    PyObject *layout = PyDict_GetItemWithError(kind->tp_dict, attr._make);
    if (layout == NULL || Py_TYPE(layout) != &LayoutType) {
        return NULL;
    }
    Layout *found = (Layout *)layout;
    PyObject *constructor = PyDict_GetItemWithError(kind->tp_dict, attr.__new__);
    if (constructor != found->constructor || PyFunction_GET_CODE(constructor) != found->code) {
        return NULL;
    }
    return found;
}

static Py_ssize_t
index_of(Layout *layout, PyObject *name)
{
    if (!PyUnicode_CheckExact(name)) {
        return -1; /* what it is equal to is its own affair */
    }
    for (Py_ssize_t i = 0; i < layout->size; i++) {
        if (layout->fields[i].name == name) {
            return i;
        }
    }
    for (Py_ssize_t i = 0; i < layout->size; i++) {
        if (PyUnicode_Compare(layout->fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static PyObject *
construct_in_python(
    PyObject *kind, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    PyObject *made = NULL, *named = NULL, *values = PyTuple_New(given);
    if (values == NULL) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < given; i++) {
        PyTuple_SET_ITEM(values, i, Py_NewRef(args[i]));
    }
    if (names != NULL) {
        named = PyDict_New();
        for (Py_ssize_t i = 0; named != NULL && i < PyTuple_GET_SIZE(names); i++) {
            if (PyDict_SetItem(named, PyTuple_GET_ITEM(names, i), args[given + i]) < 0) {
                Py_CLEAR(named);
            }
        }
        if (named == NULL) {
            Py_DECREF(values);
            return NULL;
        }
    }
    made = PyType_Type.tp_call(kind, values, named);
    Py_DECREF(values);
    Py_XDECREF(named);
    return made;
}

/* Puts arguments in their places, borrowed; returns whether each field has one. */
static bool
place_arguments(
    Layout *layout, PyObject *const *args, Py_ssize_t given, PyObject *names, PyObject **values)
{
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (given + named > layout->size) {
        return false;
    }
    for (Py_ssize_t i = 0; i < given; i++) {
        values[i] = args[i];
    }
    for (Py_ssize_t i = given; i < layout->size; i++) {
        values[i] = NULL;
    }
    for (Py_ssize_t i = 0; i < named; i++) {
        Py_ssize_t place = index_of(layout, PyTuple_GET_ITEM(names, i));
        if (place < given || values[place] != NULL) { /* unknown, or given twice */
            return false;
        }
        values[place] = args[given + i];
    }
    for (Py_ssize_t i = given; i < layout->size; i++) {
        if (values[i] == NULL) {
            values[i] = layout->fields[i].fallback;
            if (values[i] == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* Stands for the call of a class of nodes. */
static PyObject *
construct(PyObject *kind, PyObject *const *args, size_t flags, PyObject *names)
{
    Py_ssize_t given = PyVectorcall_NARGS(flags);
    PyObject *values[MOST_FIELDS];
    Layout *layout = layout_in_use((PyTypeObject *)kind);
    if (layout == NULL || !place_arguments(layout, args, given, names, values)) {
        return PyErr_Occurred() ? NULL : construct_in_python(kind, args, given, names);
    }
    return fill_borrowed(layout, values);
}

static PyObject *
make_trusted(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Layout *layout = (Layout *)self;
    PyObject *values[MOST_FIELDS];
    if (names != NULL || PyVectorcall_NARGS(flags) != layout->size) {
        return PyObject_Vectorcall(layout->make, args, flags, names);
    }
    for (Py_ssize_t i = 0; i < layout->size; i++) {
        values[i] = Py_NewRef(args[i]);
    }
    return layout_fill(layout, values);
}

/* ---- Layouts as objects ---------------------------------------------------------------------- */

Py_ssize_t
offset_of(PyTypeObject *kind, PyObject *name)
{
    bool has_slots = kind->tp_flags & Py_TPFLAGS_HEAPTYPE; /* others may have no dictionary here */
    PyObject *found = has_slots ? PyDict_GetItemWithError(kind->tp_dict, name) : NULL;
    if (found == NULL || Py_TYPE(found) != &PyMemberDescr_Type
        || ((PyMemberDescrObject *)found)->d_member->type != T_OBJECT_EX) {
        PyErr_Format(PyExc_TypeError, "%s has no slot %R", kind->tp_name, name);
        return -1;
    }
    return ((PyMemberDescrObject *)found)->d_member->offset;
}

static int
describe_field(Layout *layout, LayoutField *field, PyObject *told)
{
    int check, or_none, inferred;
    PyObject *name, *accepted, *declared, *fallback = NULL;
    if (!PyArg_ParseTuple(
            told, "UipOOp|O:field", &name, &check, &or_none, &accepted, &declared, &inferred,
            &fallback)) {
        return -1;
    }
    field->offset = offset_of(layout->kind, name);
    if (field->offset < 0) {
        return -1;
    }
    if (check < CONVERT || check > INSTANCE
        || (check >= IN_KINDS && check <= ALL_IN_KINDS && !PyAnySet_Check(accepted))) {
        PyErr_Format(PyExc_TypeError, "%R cannot be checked so", name);
        return -1;
    }
    field->name = Py_NewRef(name);
    PyUnicode_InternInPlace(&field->name);
    field->check = check;
    field->or_none = or_none;
    field->inferred = inferred;
    field->accepted = Py_NewRef(accepted);
    field->field = Py_NewRef(declared);
    field->fallback = Py_XNewRef(fallback);
    return 0;
}

/* layout(kind, constructor, make, repair, fields, derived) */
PyObject *
kernel_layout(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *kind, *constructor, *make, *repair, *fields, *derived;
    if (!PyArg_ParseTuple(
            args, "O!O!OOO!O!:layout", &PyType_Type, &kind, &PyFunction_Type, &constructor, &make,
            &repair, &PyTuple_Type, &fields, &PyTuple_Type, &derived)) {
        return NULL;
    }
    Py_ssize_t size = PyTuple_GET_SIZE(fields), more = PyTuple_GET_SIZE(derived);
    PyTypeObject *type = (PyTypeObject *)kind;
    if (size > MOST_FIELDS || type->tp_flags & Py_TPFLAGS_IS_ABSTRACT) {
        return PyStaticMethod_New(make);
    }
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || !(type->tp_flags & Py_TPFLAGS_HAVE_GC)
        || type->tp_dictoffset != 0 || type->tp_itemsize != 0) { /* nodes have slots alone */
        PyErr_Format(PyExc_TypeError, "%R is no class of nodes", kind);
        return NULL;
    }
    Layout *layout = PyObject_GC_New(Layout, &LayoutType);
    if (layout == NULL) {
        return NULL;
    }
    layout->vectorcall = make_trusted;
    layout->kind = (PyTypeObject *)Py_NewRef(kind);
    layout->constructor = Py_NewRef(constructor);
    layout->code = Py_NewRef(PyFunction_GET_CODE(constructor));
    layout->make = Py_NewRef(make);
    layout->repair = Py_NewRef(repair);
    layout->size = size;
    layout->derived = PyTuple_New(more);
    layout->fields = PyMem_Calloc(size + 1, sizeof(LayoutField));
    layout->derived_offsets = PyMem_Calloc(more + 1, sizeof(Py_ssize_t));
    PyObject_GC_Track(layout);
    if (layout->derived == NULL || layout->fields == NULL || layout->derived_offsets == NULL) {
        Py_DECREF(layout);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        if (describe_field(layout, &layout->fields[i], PyTuple_GET_ITEM(fields, i)) < 0) {
            Py_DECREF(layout);
            return NULL;
        }
    }
    for (Py_ssize_t i = 0; i < more; i++) {
        PyObject *name, *function;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(derived, i), "UO:derived", &name, &function)
            || (layout->derived_offsets[i] = offset_of(layout->kind, name)) < 0) {
            Py_DECREF(layout);
            return NULL;
        }
        PyTuple_SET_ITEM(layout->derived, i, Py_NewRef(function));
    }
    layout->kind->tp_vectorcall = construct;
    return (PyObject *)layout;
}

static int
layout_traverse(Layout *layout, visitproc visit, void *arg)
{
    Py_VISIT(layout->kind);
    Py_VISIT(layout->constructor);
    Py_VISIT(layout->make);
    Py_VISIT(layout->repair);
    Py_VISIT(layout->derived);
    for (Py_ssize_t i = 0; layout->fields != NULL && i < layout->size; i++) {
        Py_VISIT(layout->fields[i].accepted);
        Py_VISIT(layout->fields[i].field);
        Py_VISIT(layout->fields[i].fallback);
    }
    return 0;
}

/* There is no tp_clear: every cycle leads through the kind, whose dictionary is cleared. */
static void
layout_free(Layout *layout)
{
    PyObject_GC_UnTrack(layout);
    for (Py_ssize_t i = 0; layout->fields != NULL && i < layout->size; i++) {
        Py_XDECREF(layout->fields[i].name);
        Py_XDECREF(layout->fields[i].accepted);
        Py_XDECREF(layout->fields[i].field);
        Py_XDECREF(layout->fields[i].fallback);
    }
    PyMem_Free(layout->fields);
    PyMem_Free(layout->derived_offsets);
    Py_XDECREF(layout->derived);
    Py_XDECREF(layout->repair);
    Py_XDECREF(layout->make);
    Py_XDECREF(layout->code);
    Py_XDECREF(layout->constructor);
    Py_XDECREF(layout->kind);
    PyObject_GC_Del(layout);
}

static PyMemberDef layout_members[] = {
    {"__wrapped__", T_OBJECT, offsetof(Layout, make), READONLY, NULL},
    {NULL},
};

PyTypeObject LayoutType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "relayish._kernel._compiled.Layout",
    .tp_basicsize = sizeof(Layout),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL
                | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_vectorcall_offset = offsetof(Layout, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_traverse = (traverseproc)layout_traverse,
    .tp_dealloc = (destructor)layout_free,
    .tp_members = layout_members,
    .tp_methods = copied_as_functions,
};

/* ---- Functional update ----------------------------------------------------------------------- */

/* Returns whether a value that is given is the one that a node holds, tuples item by item. */
static bool
is_held(PyObject *old, PyObject *given)
{
    if (given == old) {
        return true;
    }
    if (!PyTuple_CheckExact(old) || !(PyTuple_CheckExact(given) || PyList_CheckExact(given))
        || PySequence_Fast_GET_SIZE(given) != PyTuple_GET_SIZE(old)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(old); i++) {
        if (PyTuple_GET_ITEM(old, i) != PySequence_Fast_GET_ITEM(given, i)) {
            return false;
        }
    }
    return true;
}

/* Node.with_fields */
PyObject *
with_fields(Loop *Py_UNUSED(loop), PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    Layout *layout = given == 1 ? layout_in_use(Py_TYPE(args[0])) : NULL;
    if (layout == NULL) {
        return NULL;
    }
    PyObject *node = args[0];
    args += 1;
    bool changed = false;
    PyObject *values[MOST_FIELDS] = {NULL};
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < named; i++) {
        Py_ssize_t place = index_of(layout, PyTuple_GET_ITEM(names, i));
        PyObject *old = place < 0 ? NULL : SLOT(node, layout->fields[place].offset);
        if (old == NULL) {
            return NULL;
        }
        if ((PyTuple_Check(args[i]) && !PyTuple_CheckExact(args[i]))
            || (PyList_Check(args[i]) && !PyList_CheckExact(args[i]))) {
            return NULL; /* what items it has is its own affair */
        }
        bool held = is_held(old, args[i]);
        values[place] = held ? old : args[i];
        changed = changed || !held;
    }
    if (!changed) {
        return Py_NewRef(node);
    }
    for (Py_ssize_t i = 0; i < layout->size; i++) {
        if (values[i] == NULL) {
            LayoutField *field = &layout->fields[i];
            values[i] = field->inferred ? field->fallback : SLOT(node, field->offset);
        }
        if (values[i] == NULL) {
            return NULL;
        }
    }
    return fill_borrowed(layout, values);
}

int
layouts_begin(void)
{
    frozen_classes = frozen_classes ? frozen_classes : PyTuple_New(0);
    lasting_classes = lasting_classes ? lasting_classes : PyTuple_New(0);
    closed_classes = closed_classes ? closed_classes : PyTuple_New(0);
    bool begun = frozen_classes && lasting_classes && closed_classes;
    return begun ? PyType_Ready(&LayoutType) : -1;
}
