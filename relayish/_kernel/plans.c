/* Plans: the functions of a traversal, one kind each, without a function call between them. */

#include "kernel.h"

/* ---- The stack of a walk --------------------------------------------------------------------- */

int
stack_push(Stack *stack, PyObject *node, bool marked)
{
    if (stack->list != NULL) {
        return PyList_Append(stack->list, node) < 0 ? -1 : 1;
    }
    if (stack->size == stack->room) {
        Py_ssize_t room = stack->room ? stack->room * 2 : 64;
        uintptr_t *items = PyMem_Realloc(stack->items, room * sizeof(uintptr_t));
        if (items == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        stack->items = items;
        stack->room = room;
    }
    stack->items[stack->size++] = (uintptr_t)Py_NewRef(node) | marked;
    return 1;
}

void
stack_free(Stack *stack)
{
    bool marked;
    while (stack->size) {
        Py_DECREF(stack_pop(stack, &marked));
    }
    PyMem_Free(stack->items);
    *stack = (Stack){NULL, 0, 0, NULL};
}

/* ---- Children -------------------------------------------------------------------------------- */

/* Returns whether a child was seen already: 1 or 0, or -1. */
static int
is_in(PyObject *seen, PyObject *child)
{
    if (seen == NULL) {
        return 0;
    }
    return PyDict_Check(seen) ? PyDict_Contains(seen, child) : PySet_Contains(seen, child);
}

/* Pushes a child, unless it was seen, or is of the kinds that the plan leaves out. */
static int
push_child(Plan *plan, PyObject *child, PyObject *seen, Stack *stack)
{
    int found = is_in(seen, child);
    if (found == 0 && PyDict_CheckExact(plan->told)) {
        found = PyDict_Contains(plan->told, (PyObject *)Py_TYPE(child));
    }
    return found ? (found < 0 ? -1 : 1) : stack_push(stack, child, false);
}

static int
push_items(Plan *plan, PyObject *items, bool mixed, PyObject *seen, Stack *stack)
{
    for (Py_ssize_t i = PyTuple_GET_SIZE(items) - 1; i >= 0; i--) {
        PyObject *item = PyTuple_GET_ITEM(items, i);
        int wanted = mixed ? PyObject_IsInstance(item, Node) : 1;
        if (wanted < 0 || (wanted && push_child(plan, item, seen, stack) < 0)) {
            return -1;
        }
    }
    return 1;
}

/* Returns what a node holds in a field, borrowed; NULL if that is not what such fields hold. */
static PyObject *
held_in(PlanField *field, PyObject *node)
{
    PyObject *held = SLOT(node, field->offset);
    if (held == NULL || (field->shape >= MANY && !PyTuple_CheckExact(held))
        || (field->shape == EMPTY && held != Py_None)) {
        return NULL;
    }
    return held;
}

static bool
is_whole(Plan *plan, PyObject *node)
{
    if (Py_TYPE(node) != plan->kind) {
        return false;
    }
    for (Py_ssize_t i = 0; i < plan->size; i++) {
        if (held_in(&plan->fields[i], node) == NULL) {
            return false;
        }
    }
    return true;
}

/* The same, owned, of a node that was whole: what is called meanwhile may have changed that. */
static PyObject *
still_held_in(PlanField *field, PyObject *node)
{
    PyObject *held = held_in(field, node);
    if (held == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "a node was changed while what it holds was followed");
    }
    return Py_XNewRef(held);
}

/* Pushes the children of a node, the first one last; those in `seen` are left out. */
int
plan_push(Plan *plan, PyObject *node, PyObject *seen, Stack *stack)
{
    if (!is_whole(plan, node)) {
        return 0; /* before anything is pushed */
    }
    for (Py_ssize_t i = plan->size - 1; i >= 0; i--) {
        PyObject *held = still_held_in(&plan->fields[i], node);
        enum shape shape = plan->fields[i].shape;
        int done = held == NULL ? -1 : 1;
        if (done > 0 && (shape == ONE || (shape == OPTIONAL && held != Py_None))) {
            done = push_child(plan, held, seen, stack);
        }
        else if (done > 0 && shape >= MANY) {
            done = push_items(plan, held, shape == MIXED, seen, stack);
        }
        Py_XDECREF(held);
        if (done < 0) {
            return -1;
        }
    }
    return 1;
}

/* ---- Images ---------------------------------------------------------------------------------- */

/* Returns the image of a child, owned: itself where nothing else is known. */
static PyObject *
image_of(Images images, PyObject *child)
{
    if (images.table == NULL) {
        PyObject *taken[] = {child, child};
        return PyObject_Vectorcall(images.get, taken, 2, NULL);
    }
    PyObject *found = PyDict_GetItemWithError(images.table, child);
    if (found == NULL) {
        return PyErr_Occurred() ? NULL : Py_NewRef(child);
    }
    return Py_NewRef(found);
}

/* Returns the tuple of the images of items, owned: the same one where all are themselves. */
static PyObject *
images_of(Images images, PyObject *items)
{
    PyObject *made = NULL;
    Py_ssize_t size = PyTuple_GET_SIZE(items);
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *item = PyTuple_GET_ITEM(items, i), *image = image_of(images, item);
        if (image == NULL) {
            Py_XDECREF(made);
            return NULL;
        }
        if (made == NULL && image != item) {
            made = PyTuple_New(size);
            if (made == NULL) {
                Py_DECREF(image);
                return NULL;
            }
            PyObject_GC_UnTrack(made); /* until it is whole: nobody may come across it */
            for (Py_ssize_t j = 0; j < i; j++) {
                PyTuple_SET_ITEM(made, j, Py_NewRef(PyTuple_GET_ITEM(items, j)));
            }
        }
        if (made == NULL) {
            Py_DECREF(image);
        }
        else {
            PyTuple_SET_ITEM(made, i, image);
        }
    }
    if (made == NULL) {
        return Py_NewRef(items);
    }
    PyObject_GC_Track(made);
    return made;
}

static int
tell_inferred(Plan *plan, PyObject *node, PyObject *made, PyObject *told)
{
    for (Py_ssize_t i = 0; i < plan->size; i++) {
        if (plan->fields[i].shape == INFERRED) {
            PyObject *value = Py_XNewRef(SLOT(node, plan->fields[i].offset));
            int done = 0;
            if (value != NULL && value != Py_None) {
                done = PyObject_SetItem(told, made, value);
            }
            Py_XDECREF(value);
            if (done < 0) {
                return -1;
            }
        }
    }
    return 1;
}

/* Rebuilds a node over the images of its children.  `more` is what was inferred of it, of plans to
   retype, or what is told of new nodes, of plans to carry. */
int
plan_rebuild(Plan *plan, PyObject *node, Images images, PyObject *more, PyObject **made)
{
    PyObject *values[MOST_FIELDS];
    bool changed = false;
    Py_ssize_t size = plan->size, filled = 0;
    if (!is_whole(plan, node)) {
        return 0; /* before any image is looked up */
    }
    for (; filled < size; filled++) {
        PyObject *old = still_held_in(&plan->fields[filled], node), *value = NULL;
        enum shape shape = plan->fields[filled].shape;
        if (old == NULL) {
            break;
        }
        switch (shape) {
        case ONE:
            value = image_of(images, old);
            break;
        case OPTIONAL:
            value = old == Py_None ? Py_NewRef(old) : image_of(images, old);
            break;
        case MANY:
        case MIXED:
            value = images_of(images, old);
            break;
        case INFERRED:
            value = Py_NewRef(plan->form == RETYPE ? more : Py_None);
            break;
        default:
            value = Py_NewRef(old);
        }
        Py_DECREF(old); /* still to be compared with, not to be looked at */
        if (value == NULL) {
            break;
        }
        changed = changed || (value != old && (shape != INFERRED || plan->form == RETYPE));
        values[filled] = value;
    }
    if (filled < size || !changed) {
        for (Py_ssize_t i = 0; i < filled; i++) {
            Py_DECREF(values[i]);
        }
        if (filled < size) {
            return -1;
        }
        *made = Py_NewRef(node);
        return 1;
    }
    if (Py_TYPE(plan->told) == &LayoutType) {
        *made = layout_fill((Layout *)plan->told, values);
    }
    else {
        *made = PyObject_Vectorcall(plan->told, values, size, NULL);
        for (Py_ssize_t i = 0; i < size; i++) {
            Py_DECREF(values[i]);
        }
    }
    if (*made == NULL) {
        return -1;
    }
    if (plan->form == CARRY && tell_inferred(plan, node, *made, more) < 0) {
        Py_CLEAR(*made);
        return -1;
    }
    return 1;
}

/* ---- Methods that are known ------------------------------------------------------------------ */

/* What list.append, list.extend and dict.get are made of, to know them by when they are given. */
static PyMethodDef *append_method, *extend_method, *get_method;

/* Returns the list or dictionary that a bound method of it is of; NULL for anything else. */
static PyObject *
owner_of(PyObject *bound, PyMethodDef *method)
{
    bool is_it = PyCFunction_Check(bound) && ((PyCFunctionObject *)bound)->m_ml == method;
    return is_it ? PyCFunction_GET_SELF(bound) : NULL;
}

/* What programs ask dictionaries, and a class that is to be taken for one must not override. */
static PyObject *asked[4];

/* The last class that was found to override nothing of that, as long as it is not changed. */
static PyTypeObject *plain_class = NULL;
static unsigned int plain_version = 0;

PyObject *
appended_list(PyObject *append)
{
    return owner_of(append, append_method);
}

bool
is_plain_dict(PyObject *table)
{
    PyTypeObject *type = Py_TYPE(table);
    if (type == &PyDict_Type) {
        return true;
    }
    if (!PyDict_Check(table) || type->tp_dictoffset != 0) { /* which may hold a get of its own */
        return false;
    }
    if (type == plain_class && type->tp_version_tag == plain_version) {
        return true;
    }
    for (int i = 0; i < 4; i++) {
        PyObject *own = PyObject_GetAttr((PyObject *)type, asked[i]);
        PyObject *plain = own == NULL ? NULL : PyObject_GetAttr((PyObject *)&PyDict_Type, asked[i]);
        Py_XDECREF(own);
        Py_XDECREF(plain);
        if (own == NULL || own != plain) {
            PyErr_Clear();
            return false;
        }
    }
    if (type->tp_version_tag != 0) {
        Py_XSETREF(plain_class, (PyTypeObject *)Py_NewRef(type));
        plain_version = type->tp_version_tag;
    }
    return true;
}

/* ---- Plans as functions ---------------------------------------------------------------------- */

/* Returns the function that a plan stands for, borrowed. */
static PyObject *
plan_in_python(Plan *plan)
{
    if (plan->python == NULL) {
        PyObject *made = PyObject_CallNoArgs(plan->generate);
        if (made == NULL || plan->python != NULL) { /* another thread was faster */
            Py_XDECREF(made);
            return made == NULL ? NULL : plan->python;
        }
        plan->python = made;
    }
    return plan->python;
}

static int
run_push(Plan *plan, PyObject *const *args)
{
    bool all = plan->form == PUSH_ALL;
    Stack sink = {.list = owner_of(args[all ? 1 : 2], append_method)};
    if (sink.list == NULL || (all && owner_of(args[2], extend_method) != sink.list)) {
        return 0;
    }
    if (!all && !PyAnySet_CheckExact(args[1]) && !is_plain_dict(args[1])) {
        return 0;
    }
    return plan_push(plan, args[0], all ? NULL : args[1], &sink);
}

static int
run_rebuild(Plan *plan, PyObject *const *args, PyObject **made)
{
    PyObject *table = owner_of(args[1], get_method);
    Images images = {table, args[1]};
    PyObject *more = plan->form == REBUILD ? NULL : args[2];
    return plan_rebuild(plan, args[0], images, more, made);
}

static PyObject *
plan_call(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    Plan *plan = (Plan *)self;
    PyObject *made = NULL;
    int done = 0;
    Py_ssize_t takes = plan->form == REBUILD ? 2 : plan->form == EXPAND ? 5 : 3;
    if (names == NULL && PyVectorcall_NARGS(flags) == takes) {
        switch (plan->form) {
        case PUSH:
        case PUSH_ALL:
            done = run_push(plan, args);
            break;
        case EXPAND:
            done = plan_expand(plan, args);
            break;
        default:
            done = run_rebuild(plan, args, &made);
        }
    }
    if (done != 0) {
        return done < 0 ? NULL : made != NULL ? made : Py_NewRef(Py_None);
    }
    PyObject *python = plan_in_python(plan);
    return python == NULL ? NULL : PyObject_Vectorcall(python, args, flags, names);
}

/* plan(form, kind, root, fields, told, generate) */
PyObject *
kernel_plan(PyObject *Py_UNUSED(module), PyObject *args)
{
    int form;
    PyObject *kind, *root, *fields, *told, *generate;
    if (!PyArg_ParseTuple(
            args, "iO!O!O!OO:plan", &form, &PyType_Type, &kind, &PyType_Type, &root, &PyTuple_Type,
            &fields, &told, &generate)) {
        return NULL;
    }
    Py_ssize_t size = PyTuple_GET_SIZE(fields);
    if (size > MOST_FIELDS || form < PUSH || form > EXPAND) {
        return PyObject_CallNoArgs(generate);
    }
    Py_XSETREF(Node, Py_NewRef(root));
    Plan *plan = PyObject_GC_New(Plan, &PlanType);
    if (plan == NULL) {
        return NULL;
    }
    plan->vectorcall = plan_call;
    plan->form = form;
    plan->kind = (PyTypeObject *)Py_NewRef(kind);
    plan->told = Py_NewRef(told);
    plan->generate = Py_NewRef(generate);
    plan->python = NULL;
    plan->size = size;
    plan->fields = PyMem_Calloc(size + 1, sizeof(PlanField));
    PyObject_GC_Track(plan);
    if (plan->fields == NULL) {
        Py_DECREF(plan);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *name;
        int shape, binds;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(fields, i), "Uip:field", &name, &shape, &binds)
            || (plan->fields[i].offset = offset_of(plan->kind, name)) < 0) {
            Py_DECREF(plan);
            return NULL;
        }
        plan->fields[i].name = Py_NewRef(name);
        plan->fields[i].shape = shape;
        plan->fields[i].binds = binds;
    }
    if (form >= REBUILD && Py_TYPE(told) == &LayoutType
        && (((Layout *)told)->kind != plan->kind || ((Layout *)told)->size != size)) {
        Py_DECREF(plan);
        PyErr_SetString(PyExc_TypeError, "plan takes what makes nodes of the kind, of all fields");
        return NULL;
    }
    return (PyObject *)plan;
}

static int
plan_traverse(Plan *plan, visitproc visit, void *arg)
{
    Py_VISIT(plan->kind);
    Py_VISIT(plan->told);
    Py_VISIT(plan->generate);
    Py_VISIT(plan->python);
    return 0;
}

/* There is no tp_clear: plans stand in tables, which are cleared. */
static void
plan_free(Plan *plan)
{
    PyObject_GC_UnTrack(plan);
    for (Py_ssize_t i = 0; plan->fields != NULL && i < plan->size; i++) {
        Py_XDECREF(plan->fields[i].name);
    }
    PyMem_Free(plan->fields);
    Py_XDECREF(plan->python);
    Py_XDECREF(plan->generate);
    Py_XDECREF(plan->told);
    Py_XDECREF(plan->kind);
    PyObject_GC_Del(plan);
}

/* Functions are their own copies. */
PyObject *
copied_as_function(PyObject *self, PyObject *Py_UNUSED(memo))
{
    return Py_NewRef(self);
}

PyMethodDef copied_as_functions[] = {
    {"__copy__", copied_as_function, METH_NOARGS, NULL},
    {"__deepcopy__", copied_as_function, METH_O, NULL},
    {NULL},
};

PyTypeObject PlanType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "relayish._kernel._compiled.Plan",
    .tp_basicsize = sizeof(Plan),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL
                | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_vectorcall_offset = offsetof(Plan, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_traverse = (traverseproc)plan_traverse,
    .tp_dealloc = (destructor)plan_free,
    .tp_methods = copied_as_functions,
};

static PyMethodDef *
method_of(PyTypeObject *type, const char *name)
{
    PyObject *found = PyObject_GetAttrString((PyObject *)type, name);
    if (found == NULL || Py_TYPE(found) != &PyMethodDescr_Type) {
        Py_XDECREF(found);
        return NULL;
    }
    PyMethodDef *method = ((PyMethodDescrObject *)found)->d_method; /* of a type that stays */
    Py_DECREF(found);
    return method;
}

int
plans_begin(void)
{
    append_method = method_of(&PyList_Type, "append");
    extend_method = method_of(&PyList_Type, "extend");
    get_method = method_of(&PyDict_Type, "get");
    if (append_method == NULL || extend_method == NULL || get_method == NULL) {
        PyErr_SetString(PyExc_ImportError, "list and dict are not as the compiled core knows them");
        return -1;
    }
    asked[0] = attr.get;
    asked[1] = PyUnicode_InternFromString("__contains__");
    asked[2] = PyUnicode_InternFromString("__setitem__");
    asked[3] = PyUnicode_InternFromString("__getitem__");
    return asked[1] && asked[2] && asked[3] ? PyType_Ready(&PlanType) : -1;
}
