/* Hashes: what the structural hash of a program is combined from. */

#include "kernel.h"

/* ---- _Hasher._hash_node ------------------------------------------------------------------------ */

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
    int done = layout == NULL || parts == NULL || !PyTuple_Check(layout) ? -1 : 0;
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
