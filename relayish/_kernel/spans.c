/* Spans: the place of what was read from a text, found by the line that was spoken of last. */

#include "kernel.h"

static PyObject *
attribute_of_type(PyObject *object, PyObject *name, PyTypeObject *type)
{
    PyObject *found = PyObject_GetAttr(object, name);
    if (found == NULL) {
        PyErr_Clear(); /* Python meets it again */
    }
    else if (!Py_IS_TYPE(found, type)) {
        Py_CLEAR(found);
    }
    return found;
}

/* Returns an offset or a number of lines; where it is none that has a place in a text, -1. */
static Py_ssize_t
place_of(PyObject *number)
{
    Py_ssize_t place = number == NULL || !PyLong_CheckExact(number) ? -1 : PyLong_AsSsize_t(number);
    PyErr_Clear();
    return place;
}

/* Whether the offset is in the line at `index`, whose bounds are told. */
static bool
is_in_line(PyObject *starts, Py_ssize_t index, Py_ssize_t offset, Py_ssize_t bounds[2])
{
    if (index < 0 || index >= PyList_GET_SIZE(starts) - 1) {
        return false;
    }
    bounds[0] = place_of(PyList_GET_ITEM(starts, index));
    bounds[1] = place_of(PyList_GET_ITEM(starts, index + 1));
    return bounds[0] >= 0 && bounds[0] <= offset && offset < bounds[1];
}

static PyObject *
make_span(PyTypeObject *kind, PyObject *name, Py_ssize_t line, Py_ssize_t start, Py_ssize_t end)
{
    PyObject *row = PyLong_FromSsize_t(line), *span = kind->tp_alloc(kind, 5);
    PyObject *fields[] = {name, row, row, PyLong_FromSsize_t(start), PyLong_FromSsize_t(end)};
    bool failed = span == NULL;
    for (int i = 0; i < 5; i++) {
        failed = failed || fields[i] == NULL;
        if (span != NULL) {
            PyTuple_SET_ITEM(span, i, i < 3 ? Py_XNewRef(fields[i]) : fields[i]);
        }
        else if (i >= 3) {
            Py_XDECREF(fields[i]);
        }
    }
    Py_XDECREF(row);
    if (failed) {
        Py_XDECREF(span);
        return NULL;
    }
    PyObject_GC_UnTrack(span);
    return span;
}

/* Source.span, where all is in one line: that of the last call or the next. */
PyObject *
span(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    PyObject *kind = PyTuple_GET_ITEM(loop->told, 0), *result = NULL;
    if (given != 3 || names != NULL || !PyType_Check(kind)
        || !PyType_IsSubtype((PyTypeObject *)kind, &PyTuple_Type)) {
        return NULL;
    }
    Py_ssize_t start = place_of(args[1]), end = place_of(args[2]), bounds[2];
    PyObject *starts = attribute_of_type(args[0], attr._starts, &PyList_Type);
    PyObject *last = attribute_of_type(args[0], attr._index, &PyLong_Type);
    PyObject *before = attribute_of_type(args[0], attr.row, &PyLong_Type);
    PyObject *name = attribute_of_type(args[0], attr.name, &PyUnicode_Type);
    Py_ssize_t index = place_of(last), rows = place_of(before);
    if (starts != NULL && name != NULL && index >= 0 && rows >= 0 && start >= 0 && end >= 0) {
        bool moved = !is_in_line(starts, index, start, bounds);
        if ((!moved || is_in_line(starts, ++index, start, bounds)) && end <= bounds[1]) {
            PyObject *next = moved ? PyLong_FromSsize_t(index) : NULL;
            if (!moved || (next != NULL && PyObject_SetAttr(args[0], attr._index, next) == 0)) {
                result = make_span(
                    (PyTypeObject *)kind, name, index + 1 + rows, start - bounds[0] + 1,
                    end - bounds[0] + 1);
            }
            Py_XDECREF(next);
        }
    }
    Py_XDECREF(starts);
    Py_XDECREF(last);
    Py_XDECREF(before);
    Py_XDECREF(name);
    return result;
}
