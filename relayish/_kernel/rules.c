/* Rules: the trampoline.

   A rule that waits for another lies on the stack alone, which keeps it alive; so it can be no part
   of a cycle that the collector might free, and leaves its list until it goes on.  In deep nests
   all but one of the rules wait, and the collector would look through them again and again. */

#include "kernel.h"

static int
wait_for_other(Stack *waiting, PyObject *rule)
{
    if (stack_push(waiting, rule, false) < 0) {
        return -1;
    }
    if (PyGen_CheckExact(rule) && PyObject_GC_IsTracked(rule)) {
        PyObject_GC_UnTrack(rule);
    }
    return 0;
}

/* Takes the rule that waited last, owned, and gives it back to the collector. */
static PyObject *
next_rule(Stack *waiting)
{
    bool marked;
    PyObject *rule = stack_pop(waiting, &marked);
    if (PyGen_CheckExact(rule) && !PyObject_GC_IsTracked(rule)) {
        PyObject_GC_Track(rule);
    }
    return rule;
}

/* Goes on with a rule: whether it yielded, returned or failed, and what. */
static PySendResult
go_on(PyObject *rule, PyObject *made, PyObject **part)
{
    if (!PyGen_CheckExact(rule) && !PyObject_HasAttr(rule, attr.send)) {
        PyErr_Format(
            PyExc_AttributeError, "'%s' object has no attribute 'send'", Py_TYPE(rule)->tp_name);
        return PYGEN_ERROR;
    }
    return PyIter_Send(rule, made, part);
}

/* run(rule, out=None), of rules whose errors nobody catches */
PyObject *
run_rules(Loop *Py_UNUSED(loop), PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    PyObject *out = given == 2 && args[1] != Py_None ? args[1] : NULL;
    if (names != NULL || given < 1 || given > 2 || (out != NULL && !PyList_CheckExact(out))) {
        return NULL;
    }
    Stack waiting = {0};
    PyObject *rule = Py_NewRef(args[0]), *made = Py_NewRef(Py_None), *part = NULL;
    for (;;) {
        PySendResult how = go_on(rule, made, &part);
        if (how == PYGEN_ERROR) {
            break;
        }
        if (how == PYGEN_RETURN) {
            Py_SETREF(made, part);
            if (!waiting.size) {
                stack_free(&waiting);
                Py_DECREF(rule);
                return made;
            }
            Py_SETREF(rule, next_rule(&waiting));
            continue;
        }
        Py_SETREF(made, Py_NewRef(Py_None));
        if (PyUnicode_CheckExact(part)) {
            int written = out == NULL ? 0 : PyList_Append(out, part);
            Py_DECREF(part);
            if (written < 0) {
                break;
            }
            continue;
        }
        int waits = wait_for_other(&waiting, rule);
        Py_SETREF(rule, part);
        if (waits < 0) {
            break;
        }
    }
    Py_DECREF(made);
    Py_DECREF(rule);
    while (waiting.size) {
        Py_DECREF(next_rule(&waiting));
    }
    stack_free(&waiting);
    return NULL;
}
