/* Loops as functions, and the module. */

#include "kernel.h"

struct names attr;

/* ---- Loops as functions ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    Run run;
    Py_ssize_t told;
} LOOPS[] = {
    {"walk", walk, 1},
    {"walk_post_order", walk_post_order, 1},
    {"mutate", mutate, 1},
    {"rewrite", rewrite, 1},
    {"post_order", post_order, 0},
    {"hash_node", hash_node, 7},
    {"with_fields", with_fields, 0},
    {"span", span, 1},
    {"run", run_rules, 0},
};

static PyObject *
loop_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Loop *loop = (Loop *)self;
    PyObject *result = loop->run(loop, args, PyVectorcall_NARGS(flags), names);
    if (result != NULL || PyErr_Occurred()) {
        return result;
    }
    return PyObject_Vectorcall(loop->python, args, flags, names);
}

/* loop(name, function, *told): what is called in the place of the function */
PyObject *
kernel_loop(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    PyObject *name = given > 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (name == NULL || !PyUnicode_Check(name) || !PyFunction_Check(PyTuple_GET_ITEM(args, 1))) {
        PyErr_SetString(PyExc_TypeError, "loop takes a name, a function and what that uses");
        return NULL;
    }
    for (size_t i = 0; i < sizeof(LOOPS) / sizeof(LOOPS[0]); i++) {
        if (PyUnicode_CompareWithASCIIString(name, LOOPS[i].name) || LOOPS[i].told != given - 2) {
            continue;
        }
        Loop *loop = PyObject_GC_New(Loop, &LoopType);
        if (loop == NULL) {
            return NULL;
        }
        loop->vectorcall = loop_call;
        loop->run = LOOPS[i].run;
        loop->python = Py_NewRef(PyTuple_GET_ITEM(args, 1));
        loop->told = PyTuple_GetSlice(args, 2, given);
        loop->weak = NULL;
        PyObject_GC_Track(loop);
        if (loop->told == NULL) {
            Py_CLEAR(loop);
        }
        return (PyObject *)loop;
    }
    PyErr_Format(PyExc_ValueError, "there is no loop %R of %zd", name, given - 2);
    return NULL;
}

static PyObject *
loop_bind(PyObject *self, PyObject *object, PyObject *Py_UNUSED(type))
{
    return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

/* A loop has the name, the docstring and the marks of the function, but is not of its class. */
static PyObject *
loop_attribute(PyObject *self, PyObject *name)
{
    static const char *const own[] = {"__class__", "__reduce__", "__reduce_ex__"};
    PyObject *python = ((Loop *)self)->python;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (PyUnicode_CompareWithASCIIString(name, own[i]) == 0) {
            return PyObject_GenericGetAttr(self, name);
        }
    }
    if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0) {
        return Py_NewRef(python);
    }
    PyObject *found = PyObject_GetAttr(python, name);
    if (found == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        found = PyObject_GenericGetAttr(self, name);
    }
    return found;
}

static int
loop_traverse(Loop *loop, visitproc visit, void *arg)
{
    Py_VISIT(loop->python);
    Py_VISIT(loop->told);
    return 0;
}

static void
loop_free(Loop *loop)
{
    PyObject_GC_UnTrack(loop);
    if (loop->weak != NULL) {
        PyObject_ClearWeakRefs((PyObject *)loop);
    }
    Py_XDECREF(loop->python);
    Py_XDECREF(loop->told);
    PyObject_GC_Del(loop);
}

/* Functions are pickled by name: so are loops. */
static PyObject *
loop_name(PyObject *self, PyObject *Py_UNUSED(none))
{
    return PyObject_GetAttrString(((Loop *)self)->python, "__qualname__");
}

static PyMethodDef loop_methods[] = {
    {"__copy__", copied_as_function, METH_NOARGS, NULL},
    {"__deepcopy__", copied_as_function, METH_O, NULL},
    {"__reduce__", loop_name, METH_NOARGS, NULL},
    {NULL},
};

PyTypeObject LoopType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "relayish._kernel._compiled.Loop",
    .tp_basicsize = sizeof(Loop),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL
                | Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_vectorcall_offset = offsetof(Loop, vectorcall),
    .tp_weaklistoffset = offsetof(Loop, weak),
    .tp_call = PyVectorcall_Call,
    .tp_descr_get = loop_bind,
    .tp_getattro = loop_attribute,
    .tp_methods = loop_methods,
    .tp_traverse = (traverseproc)loop_traverse,
    .tp_dealloc = (destructor)loop_free,
};

/* ---- The module ------------------------------------------------------------------------------ */

static PyMethodDef functions[] = {
    {"layout", kernel_layout, METH_VARARGS, "Return what makes nodes of a kind of trusted values."},
    {"plan", kernel_plan, METH_VARARGS, "Return what pushes children of a node, or rebuilds it."},
    {"loop", kernel_loop, METH_VARARGS, "Return what is called in the place of a function."},
    {"settle", kernel_settle, METH_VARARGS, "Say of which classes objects never lead to nodes."},
    {NULL},
};

/* What is static here is of one interpreter, as long as it lives; in another all is pure Python. */
static int64_t home = -1;

static void
end(void)
{
    home = INT64_MAX; /* of none, for what begins anew in this process counts from 0 again */
}

static int
begin(PyObject *Py_UNUSED(module))
{
    int64_t here = PyInterpreterState_GetID(PyInterpreterState_Get());
    if (home >= 0 ? home != here : Py_AtExit(end) < 0) {
        PyErr_SetString(PyExc_ImportError, "the compiled core is of another interpreter");
        return -1;
    }
    home = here;
#define INTERN(name) \
    if ((attr.name = PyUnicode_InternFromString(#name)) == NULL) { \
        return -1; \
    }
    EACH_NAME(INTERN)
    if (layouts_begin() < 0 || plans_begin() < 0 || loops_begin() < 0) {
        return -1;
    }
    return PyType_Ready(&LoopType);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, begin},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "relayish._kernel._compiled",
    .m_doc = "The compiled core.",
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__compiled(void)
{
    return PyModuleDef_Init(&definition);
}
