/* Comparison: the pairs that structural equality looks at, and what a structural hash is combined
   from. */

#include "kernel.h"

/* ---- Pairs to compare ------------------------------------------------------------------------ */

/* Appends one pair of what two nodes hold, as structural equality keeps it.  Pairs lead up to the
   roots; the collector has to look at those alone that hold what may lead back. */
static int
append_pair(
    PyObject *pairs, PyObject *left, PyObject *right, PyObject *parent, PyObject *name,
    Py_ssize_t at)
{
    PyObject *index = PyLong_FromSsize_t(at);
    PyObject *pair = index == NULL ? NULL : PyTuple_Pack(5, left, right, parent, name, index);
    int done = pair == NULL ? -1 : PyList_Append(pairs, pair);
    if (done == 0) {
        may_be_cyclic(pair, 0);
    }
    Py_XDECREF(pair);
    Py_XDECREF(index);
    return done < 0 ? -1 : 1;
}

static int
append_pairs(
    Plan *plan, PlanField *field, PyObject *left, PyObject *right, PyObject *parent,
    PyObject *pairs)
{
    int done = 1;
    if (field->shape == MANY) {
        for (Py_ssize_t i = PyTuple_GET_SIZE(left) - 1; done > 0 && i >= 0; i--) {
            PyObject *one = PyTuple_GET_ITEM(left, i), *other = PyTuple_GET_ITEM(right, i);
            done = append_pair(pairs, one, other, parent, field->name, i);
        }
        return done;
    }
    bool same = left == right;
    if (same && field->shape != LEAF && !field->binds) {
        int is_name = PySet_Contains(plan->told, (PyObject *)Py_TYPE(left));
        if (is_name < 0) {
            return -1;
        }
        same = is_name;
    }
    return same && !field->binds ? 1 : append_pair(pairs, left, right, parent, field->name, -1);
}

/* Tells what corresponds, and appends pairs, of what two nodes hold. */
static int
expand_held(
    Plan *plan, PyObject **lefts, PyObject **rights, PyObject *parent, PyObject *bind,
    PyObject *pairs)
{
    for (Py_ssize_t i = 0; i < plan->size && plan->fields[i].binds; i++) { /* these come first */
        PlanField *field = &plan->fields[i];
        PyObject *left = lefts[i], *right = rights[i];
        bool many = field->shape == MANY;
        for (Py_ssize_t j = 0; j < (many ? PyTuple_GET_SIZE(left) : 1); j++) {
            PyObject *taken[] = {
                many ? PyTuple_GET_ITEM(left, j) : left, many ? PyTuple_GET_ITEM(right, j) : right};
            if (field->shape == OPTIONAL && (left == Py_None || right == Py_None)) {
                continue;
            }
            PyObject *bound = PyObject_Vectorcall(bind, taken, 2, NULL);
            if (bound == NULL) {
                return -1;
            }
            Py_DECREF(bound);
        }
    }
    for (Py_ssize_t i = plan->size - 1; i >= 0; i--) {
        PlanField *field = &plan->fields[i];
        if (field->shape != SKIPPED
            && append_pairs(plan, field, lefts[i], rights[i], parent, pairs) < 0) {
            return -1;
        }
    }
    return 1;
}

/* Appends the pairs of what two nodes of one kind hold, the first one last, when what they bind was
   told to correspond; 0 where they differ already, or where more than fields is compared. */
int
plan_expand(Plan *plan, PyObject *const *args)
{
    PyObject *lhs = args[0], *rhs = args[1], *parent = args[2], *bind = args[3];
    PyObject *pairs = appended_list(args[4]), *lefts[MOST_FIELDS], *rights[MOST_FIELDS];
    if (pairs == NULL || Py_TYPE(lhs) != plan->kind || Py_TYPE(rhs) != plan->kind) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < plan->size; i++) {
        PlanField *field = &plan->fields[i];
        PyObject *left = SLOT(lhs, field->offset), *right = SLOT(rhs, field->offset);
        if (left == NULL || right == NULL || (field->shape == SKIPPED && left != right)) {
            return 0;
        }
        if (field->shape == MANY
            && (!PyTuple_CheckExact(left) || !PyTuple_CheckExact(right)
                || PyTuple_GET_SIZE(left) != PyTuple_GET_SIZE(right))) {
            return 0;
        }
    }
    for (Py_ssize_t i = 0; i < plan->size; i++) { /* kept, whatever is called does to the nodes */
        lefts[i] = Py_NewRef(SLOT(lhs, plan->fields[i].offset));
        rights[i] = Py_NewRef(SLOT(rhs, plan->fields[i].offset));
    }
    int done = expand_held(plan, lefts, rights, parent, bind, pairs);
    for (Py_ssize_t i = 0; i < plan->size; i++) {
        Py_DECREF(lefts[i]);
        Py_DECREF(rights[i]);
    }
    return done;
}

/* ---- _Hasher._hash_node ---------------------------------------------------------------------- */

/* What the loop is told: tables of pushes and of layouts, the kinds of variables, the shapes of a
   field that holds one node, many, or one or None, and what hashes the value of a literal. */
enum { H_PUSH, H_LAYOUTS, H_VARIABLES, H_ONE, H_MANY, H_OPTIONAL, H_LITERAL };

static int
take(PyObject *parts, PyObject *part)
{
    int done = part == NULL ? -1 : PyList_Append(parts, part);
    Py_XDECREF(part);
    return done;
}

static int
hash_field(
    Loop *loop, PyObject *self, PyObject *hashes, PyObject *value, PyObject *held, PyObject *parts)
{
    PyObject **told = &PyTuple_GET_ITEM(loop->told, 0);
    if (held == told[H_ONE]) {
        return take(parts, PyObject_GetItem(hashes, value));
    }
    if (held == told[H_MANY]) {
        Py_ssize_t size = PyObject_Size(value);
        PyObject *items = size < 0 ? NULL : PySequence_Tuple(value);
        int done = items == NULL ? -1 : take(parts, PyLong_FromSsize_t(size));
        for (Py_ssize_t i = 0; done >= 0 && i < PyTuple_GET_SIZE(items); i++) {
            done = take(parts, PyObject_GetItem(hashes, PyTuple_GET_ITEM(items, i)));
        }
        Py_XDECREF(items);
        return done;
    }
    if (held == Py_None) {
        return take(parts, PyObject_CallOneArg(told[H_LITERAL], value));
    }
    if (value == Py_None) {
        return take(parts, PyLong_FromLong(0));
    }
    if (held == told[H_OPTIONAL]) {
        return take(parts, PyObject_GetItem(hashes, value));
    }
    return take(parts, PyObject_CallMethodOneArg(self, attr._hash_leaf, value));
}

/* Combines what is hashed of a node: the hash of a tuple of it, as Python makes it. */
static int
combine(Loop *loop, PyObject *self, PyObject *hashes, PyObject *numbers, PyObject *node)
{
    PyObject *layout = entry_of(PyTuple_GET_ITEM(loop->told, H_LAYOUTS), node), *fields;
    PyObject *parts = PyList_New(0), *whole = NULL, *hash = NULL;
    int done = layout == NULL || parts == NULL ? -1 : 0;
    if (done == 0 && !PyTuple_Check(layout)) {
        PyErr_Format(PyExc_TypeError, "%R is not what is hashed of a kind", layout);
        done = -1;
    }
    if (done == 0) {
        done = PyList_Append(parts, PyTuple_GET_ITEM(layout, 0));
    }
    if (done == 0 && PyTuple_GET_ITEM(layout, 1) == Py_True) {
        done = take(parts, PyObject_GetItem(numbers, node));
    }
    if (done == 0) {
        fields = PyTuple_GET_ITEM(layout, 2);
        for (Py_ssize_t i = 0; done == 0 && i < PyTuple_GET_SIZE(fields); i++) {
            PyObject *field = PyTuple_GET_ITEM(fields, i);
            PyObject *value = PyObject_GetAttr(node, PyTuple_GET_ITEM(field, 0));
            done = value == NULL ? -1
                                 : hash_field(
                                     loop, self, hashes, value, PyTuple_GET_ITEM(field, 1), parts);
            Py_XDECREF(value);
        }
    }
    whole = done == 0 ? PyList_AsTuple(parts) : NULL;
    Py_hash_t found = whole == NULL ? -1 : PyObject_Hash(whole);
    hash = found == -1 ? NULL : PyLong_FromSsize_t(found);
    done = hash == NULL ? -1 : PyDict_SetItem(hashes, node, hash);
    Py_XDECREF(hash);
    Py_XDECREF(whole);
    Py_XDECREF(parts);
    Py_XDECREF(layout);
    return done;
}

static int
hash_below(Loop *loop, PyObject *self, PyObject *hashes, PyObject *numbers, Stack *stack)
{
    PyObject **told = &PyTuple_GET_ITEM(loop->told, 0);
    PyObject *entered = PySet_New(NULL), *node = NULL, *push = NULL;
    Py_ssize_t walked = 0;
    bool marked;
    int done = entered == NULL ? -1 : 0;
    while (done >= 0 && stack->size) {
        Py_XSETREF(node, stack_pop(stack, &marked));
        done = breathe_at(&walked);
        if (done < 0) {
            continue;
        }
        if (marked) {
            done = combine(loop, self, hashes, numbers, node);
            continue;
        }
        int known = PyDict_Contains(hashes, node);
        Py_ssize_t before = PySet_GET_SIZE(entered);
        if (known || PySet_Add(entered, node) < 0 || PySet_GET_SIZE(entered) == before) {
            done = known < 0 || PyErr_Occurred() ? -1 : 0;
            continue;
        }
        int varies = PySet_Contains(told[H_VARIABLES], (PyObject *)Py_TYPE(node));
        if (varies > 0) {
            PyObject *number = PyLong_FromSsize_t(PyDict_GET_SIZE(numbers));
            varies = number == NULL ? -1 : PyDict_SetItem(numbers, node, number);
            Py_XDECREF(number);
        }
        Py_XSETREF(push, varies < 0 ? NULL : entry_of(told[H_PUSH], node));
        if (push == NULL) {
            done = -1;
        }
        else if (push == Py_None) {
            done = combine(loop, self, hashes, numbers, node);
        }
        else {
            done = stack_push(stack, node, true);
            if (done > 0) {
                done = push_below(push, node, hashes, stack);
            }
        }
    }
    Py_XDECREF(entered);
    Py_XDECREF(node);
    Py_XDECREF(push);
    return done;
}

PyObject *
hash_node(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    if (given != 2 || names != NULL) {
        return NULL;
    }
    PyObject *hashes = PyObject_GetAttr(args[0], attr._hashes), *result = NULL;
    PyObject *numbers = hashes == NULL ? NULL : PyObject_GetAttr(args[0], attr._numbers);
    Stack stack = {0};
    if (numbers != NULL && PyDict_CheckExact(hashes) && PyDict_CheckExact(numbers)
        && stack_push(&stack, args[1], false) > 0
        && hash_below(loop, args[0], hashes, numbers, &stack) >= 0) {
        result = PyObject_GetItem(hashes, args[1]);
    }
    stack_free(&stack);
    Py_XDECREF(hashes);
    Py_XDECREF(numbers);
    return result;
}
