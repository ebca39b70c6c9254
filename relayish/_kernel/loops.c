/* Loops: the engine's walks over programs. */

#include "kernel.h"

#include <frameobject.h>

/* ---- What loops have in common --------------------------------------------------------------- */

/* Walked without a call of Python, so many nodes, a loop looks for signals and lets threads run. */
#define BREATH 16384

static PyObject *breathe = NULL; /* a Python function that does nothing: the interpreter does it */
static PyObject *one = NULL;

int
breathe_at(Py_ssize_t *count)
{
    if (++*count % BREATH) {
        return 0;
    }
    PyObject *done = PyObject_CallNoArgs(breathe);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

PyObject *
entry_of(PyObject *table, PyObject *node)
{
    PyObject *kind = (PyObject *)Py_TYPE(node);
    PyObject *found = PyDict_Check(table) ? PyDict_GetItemWithError(table, kind) : NULL;
    if (found != NULL) {
        return Py_NewRef(found);
    }
    return PyErr_Occurred() ? NULL : PyObject_GetItem(table, kind);
}

/* Calls a function that a table has in the place of a plan: it appends to a list. */
static int
push_by_function(PyObject *push, PyObject *node, PyObject *seen, Stack *stack)
{
    PyObject *list = PyList_New(0);
    PyObject *append = list == NULL ? NULL : PyObject_GetAttr(list, attr.append);
    PyObject *extend = list == NULL ? NULL : PyObject_GetAttr(list, attr.extend);
    PyObject *taken[] = {node, seen == NULL ? append : seen, seen == NULL ? extend : append};
    PyObject *done = append && extend ? PyObject_Vectorcall(push, taken, 3, NULL) : NULL;
    int result = done == NULL ? -1 : 1;
    for (Py_ssize_t i = 0; result > 0 && i < PyList_GET_SIZE(list); i++) {
        result = stack_push(stack, PyList_GET_ITEM(list, i), false);
    }
    Py_XDECREF(done);
    Py_XDECREF(append);
    Py_XDECREF(extend);
    Py_XDECREF(list);
    return result;
}

int
push_below(PyObject *push, PyObject *node, PyObject *seen, Stack *stack)
{
    if (Py_TYPE(push) == &PlanType) {
        int done = plan_push((Plan *)push, node, seen, stack);
        if (done != 0) {
            return done;
        }
    }
    return push_by_function(push, node, seen, stack);
}

/* Calls the handler that a table has for a node: handler(functor, node). */
static PyObject *
call_handler(PyObject *table, PyObject *functor, PyObject *node)
{
    PyObject *handler = entry_of(table, node);
    if (handler == NULL) {
        return NULL;
    }
    PyObject *taken[] = {functor, node};
    PyObject *result = PyObject_Vectorcall(handler, taken, 2, NULL);
    Py_DECREF(handler);
    return result;
}

/* Keeps what a handler of a visitor returned, owned, unless that is None. */
static int
keep_result(PyObject *functor, PyObject *node, PyObject *result)
{
    int done = 0;
    if (result == NULL) {
        return -1;
    }
    if (result != Py_None) {
        PyObject *memo = PyObject_GetAttr(functor, attr.memo_map);
        done = memo == NULL ? -1 : PyObject_SetItem(memo, node, result);
        Py_XDECREF(memo);
    }
    Py_DECREF(result);
    return done;
}

/* Adds the frame of the loop to the traceback, as Python would: errors are told from it at which
   node, and of which functor, a handler failed. */
static void
add_frame(Loop *loop, PyObject *self, PyObject *node)
{
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyCodeObject *python = (PyCodeObject *)PyFunction_GET_CODE(loop->python), *code = NULL;
    const char *file = PyUnicode_AsUTF8(python->co_filename);
    const char *name = PyUnicode_AsUTF8(python->co_name);
    if (file != NULL && name != NULL) {
        code = PyCode_NewEmpty(file, name, python->co_firstlineno);
    }
    PyObject *locals = PyDict_New();
    PyFrameObject *frame = NULL;
    if (code != NULL && locals != NULL && PyDict_SetItemString(locals, "self", self) == 0
        && (node == NULL || PyDict_SetItemString(locals, "node", node) == 0)) {
        PyObject *globals = PyFunction_GET_GLOBALS(loop->python);
        frame = PyFrame_New(PyThreadState_Get(), code, globals, locals);
    }
    PyErr_Clear(); /* what went wrong here is less than what is told */
    PyErr_Restore(type, error, traceback);
    if (frame != NULL) {
        PyTraceBack_Here(frame);
    }
    Py_XDECREF(frame);
    Py_XDECREF(locals);
    Py_XDECREF(code);
}

/* Finds attributes, owned, as far as the first that is missing; returns whether none is. */
static bool
find_all(PyObject *object, PyObject *const *names, PyObject **values, int count)
{
    for (int i = 0; i < count; i++) {
        values[i] = PyObject_GetAttr(object, names[i]);
        if (values[i] == NULL) {
            return false;
        }
    }
    return true;
}

static void
release(PyObject **values, int count)
{
    for (int i = 0; i < count; i++) {
        Py_XDECREF(values[i]);
    }
}

/* Counts one more visit of a node; returns whether it was counted before: 1 or 0, or -1.  A count
   may be whatever somebody has put there. */
static int
count_visit(PyObject *counter, PyObject *node, binaryfunc add, PyObject **count)
{
    PyObject *before = PyDict_GetItemWithError(counter, node);
    if (before == NULL && PyErr_Occurred()) {
        return -1;
    }
    int known = before != NULL;
    Py_XINCREF(before);
    Py_XSETREF(*count, known ? add(before, one) : Py_NewRef(one));
    Py_XDECREF(before);
    return *count == NULL || PyDict_SetItem(counter, node, *count) < 0 ? -1 : known;
}

/* ---- Visitor._walk --------------------------------------------------------------------------- */

PyObject *
walk(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    if (given != 2 || names != NULL) {
        return NULL;
    }
    PyObject *self = args[0], *node = Py_NewRef(args[1]), *push = NULL;
    PyObject *overridden = PyTuple_GET_ITEM(loop->told, 0);
    PyObject *asked[] = {attr.visit_counter, attr._push, attr._handlers}, *tables[3] = {NULL};
    PyObject *count = NULL, *result = NULL;
    Stack stack = {0};
    Py_ssize_t walked = 0;
    bool marked, popped = false;
    if (!find_all(self, asked, tables, 3) || !is_plain_dict(tables[0])) {
        goto done;
    }
    push = entry_of(tables[1], node);
    if (push == NULL || push_below(push, node, NULL, &stack) < 0) {
        goto failed;
    }
    while (stack.size) {
        Py_SETREF(node, stack_pop(&stack, &marked));
        popped = true;
        int known = count_visit(tables[0], node, PyNumber_InPlaceAdd, &count);
        if (known < 0 || breathe_at(&walked) < 0) {
            goto failed;
        }
        if (known) {
            continue;
        }
        Py_XSETREF(push, entry_of(tables[1], node));
        if (push == overridden) {
            if (keep_result(self, node, call_handler(tables[2], self, node)) < 0) {
                goto failed;
            }
        }
        else if (push == NULL || (push != Py_None && push_below(push, node, NULL, &stack) < 0)) {
            goto failed;
        }
    }
    result = Py_NewRef(Py_None);
failed:
    if (result == NULL) {
        add_frame(loop, self, popped ? node : NULL);
    }
done:
    stack_free(&stack);
    Py_XDECREF(count);
    Py_XDECREF(push);
    Py_DECREF(node);
    release(tables, 3);
    return result;
}

/* ---- PostOrderVisitor._walk ------------------------------------------------------------------ */

/* Handles a node that the class takes over; where visit is overridden children go through it. */
static int
handle_in_place(PyObject *self, PyObject *handlers, PyObject *node)
{
    PyObject *kind = (PyObject *)Py_TYPE(node);
    PyObject *asked = PyObject_CallMethodOneArg(self, attr._is_post_order, kind);
    int first = asked == NULL ? -1 : PyObject_IsTrue(asked);
    Py_XDECREF(asked);
    if (first > 0) {
        PyObject *visited = PyObject_CallMethodOneArg(self, attr.visit_children, node);
        first = visited == NULL ? -1 : 0;
        Py_XDECREF(visited);
    }
    return first < 0 ? -1 : keep_result(self, node, call_handler(handlers, self, node));
}

static int
walk_post_order_from(
    PyObject *self, PyObject **tables, PyObject *overridden, Stack *stack, PyObject **node)
{
    PyObject *push = NULL, *after = NULL, *count = NULL, *taken[2] = {self, NULL};
    Py_ssize_t walked = 0;
    bool marked;
    int done = 1;
    while (done >= 0 && stack->size) {
        Py_XSETREF(*node, stack_pop(stack, &marked));
        if (marked) {
            Py_XSETREF(after, entry_of(tables[2], *node));
            taken[1] = *node;
            PyObject *found = after ? PyObject_Vectorcall(after, taken, 2, NULL) : NULL;
            done = keep_result(self, *node, found);
            continue;
        }
        done = count_visit(tables[0], *node, PyNumber_Add, &count) < 0 ? -1 : breathe_at(&walked);
        int beyond = done < 0 ? -1 : PyObject_RichCompareBool(count, tables[3], Py_GT);
        if (beyond) {
            done = beyond < 0 ? -1 : 1;
            continue;
        }
        Py_XSETREF(push, entry_of(tables[1], *node));
        if (push == NULL) {
            done = -1;
        }
        else if (push == overridden) {
            done = handle_in_place(self, tables[4], *node);
        }
        else {
            Py_XSETREF(after, entry_of(tables[2], *node));
            done = after == NULL ? -1 : 1;
            if (done > 0 && after != Py_None) {
                done = stack_push(stack, *node, true);
            }
            if (done > 0 && push != Py_None) {
                done = push_below(push, *node, NULL, stack);
            }
        }
    }
    Py_XDECREF(push);
    Py_XDECREF(after);
    Py_XDECREF(count);
    return done;
}

PyObject *
walk_post_order(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    if (given != 2 || names != NULL) {
        return NULL;
    }
    PyObject *self = args[0], *root = args[1], *node = NULL, *result = NULL;
    PyObject *asked[] = {
        attr.visit_counter, attr._push, attr._after, attr.visit_limit, attr._handlers};
    PyObject *tables[5] = {NULL};
    Stack stack = {0};
    if (!find_all(self, asked, tables, 5) || !is_plain_dict(tables[0])) {
        goto done;
    }
    PyObject *count = PyObject_GetItem(tables[0], root); /* the loop counts it as all others */
    PyObject *less = count == NULL ? NULL : PyNumber_InPlaceSubtract(count, one);
    int begun = less == NULL ? -1 : PyDict_SetItem(tables[0], root, less);
    Py_XDECREF(count);
    Py_XDECREF(less);
    if (begun >= 0 && stack_push(&stack, root, false) > 0
        && walk_post_order_from(
               self, tables, PyTuple_GET_ITEM(loop->told, 0), &stack, &node) >= 0) {
        PyObject *memo = PyObject_GetAttr(self, attr.memo_map);
        result = memo == NULL ? NULL : PyObject_CallMethodOneArg(memo, attr.get, root);
        Py_XDECREF(memo);
    }
    if (result == NULL) {
        add_frame(loop, self, node);
    }
done:
    stack_free(&stack);
    Py_XDECREF(node);
    release(tables, 5);
    return result;
}

/* ---- Mutator._mutate and Rewriter._mutate ---------------------------------------------------- */

typedef struct {
    PyObject *self, *memo, *push, *rebuild, *images, *handlers;
    PyObject *rewriter, *rewrites; /* NULL in a mutator */
    PyObject *overridden;
    Stack stack;
} Rewriting;

/* Puts the image of a node, owned, into the memo, if it may stand there. */
static int
put_image(Rewriting *r, PyObject *node, PyObject *image, bool is_checked)
{
    int done = image == NULL ? -1 : 0;
    if (done == 0 && is_checked) {
        PyObject *kinds = entry_of(r->images, node);
        int found = kinds == NULL ? -1 : PySequence_Contains(kinds, (PyObject *)Py_TYPE(image));
        Py_XDECREF(kinds);
        if (found == 0) {
            PyObject *refused =
                PyObject_CallMethodObjArgs(r->self, attr._refuse, node, image, NULL);
            found = refused == NULL ? -1 : 1;
            Py_XDECREF(refused);
        }
        done = found < 0 ? -1 : 0;
    }
    if (done == 0) {
        done = PyDict_SetItem(r->memo, node, image);
    }
    Py_XDECREF(image);
    return done;
}

static PyObject *
rebuild_node(Rewriting *r, PyObject *node)
{
    PyObject *made = NULL, *rebuild = entry_of(r->rebuild, node);
    if (rebuild == NULL) {
        return NULL;
    }
    int done = 0;
    if (Py_TYPE(rebuild) == &PlanType && ((Plan *)rebuild)->form == REBUILD) {
        done = plan_rebuild((Plan *)rebuild, node, (Images){r->memo, NULL}, NULL, &made);
    }
    if (done == 0) {
        PyObject *get = PyObject_GetAttr(r->memo, attr.get);
        PyObject *taken[] = {node, get};
        made = get == NULL ? NULL : PyObject_Vectorcall(rebuild, taken, 2, NULL);
        Py_XDECREF(get);
    }
    Py_DECREF(rebuild);
    return made;
}

/* Rewrites a node, given what it is over its images, owned. */
static int
rewrite_node(Rewriting *r, PyObject *node, PyObject *post)
{
    if (post == NULL || r->rewriter == NULL) {
        return put_image(r, node, post, false);
    }
    PyObject *rewrite = entry_of(r->rewrites, node);
    if (rewrite == NULL || rewrite == Py_None) {
        if (rewrite == NULL) {
            Py_CLEAR(post);
        }
        Py_XDECREF(rewrite);
        return put_image(r, node, post, false);
    }
    PyObject *taken[] = {r->rewriter, node, post};
    PyObject *image = PyObject_Vectorcall(rewrite, taken, 3, NULL);
    Py_DECREF(rewrite);
    Py_DECREF(post);
    return put_image(r, node, image, true);
}

/* Meets a node that stands for itself, on the way down. */
static int
enter_node(Rewriting *r, PyObject *node)
{
    int known = PyDict_Contains(r->memo, node);
    if (known) {
        return known < 0 ? -1 : 0;
    }
    PyObject *push = entry_of(r->push, node);
    int done = push == NULL ? -1 : 0;
    if (push == Py_None) {
        done = rewrite_node(r, node, Py_NewRef(node));
    }
    else if (push == r->overridden) {
        done = put_image(r, node, call_handler(r->handlers, r->self, node), true);
    }
    else if (push != NULL) {
        done = stack_push(&r->stack, node, true);
        if (done > 0) {
            done = push_below(push, node, r->memo, &r->stack);
        }
    }
    Py_XDECREF(push);
    return done;
}

static PyObject *
rewrite_from(Loop *loop, Rewriting *r, PyObject *root)
{
    PyObject *node = NULL;
    Py_ssize_t walked = 0;
    bool marked;
    int done = stack_push(&r->stack, root, false);
    while (done >= 0 && r->stack.size) {
        Py_XSETREF(node, stack_pop(&r->stack, &marked));
        done = marked ? rewrite_node(r, node, rebuild_node(r, node)) : enter_node(r, node);
        if (done >= 0) {
            done = breathe_at(&walked);
        }
    }
    PyObject *result = done < 0 ? NULL : PyObject_GetItem(r->memo, root);
    if (result == NULL) {
        add_frame(loop, r->self, node);
    }
    Py_XDECREF(node);
    return result;
}

static PyObject *
run_rewriting(
    Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names, bool rewrites_nodes)
{
    if (given != 2 || names != NULL) {
        return NULL;
    }
    PyObject *self = args[0], *result = NULL, *rewriter = NULL, *rewrites = NULL;
    PyObject *asked[] = {
        attr.memo_map, attr._push, attr._rebuild, attr._images, attr._handlers};
    PyObject *tables[5] = {NULL};
    if (!find_all(self, asked, tables, 5) || !is_plain_dict(tables[0])) {
        goto done;
    }
    if (rewrites_nodes) {
        rewriter = PyObject_GetAttr(self, attr._rewriter);
        rewrites = rewriter == NULL ? NULL : PyObject_GetAttr(rewriter, attr._rewrites);
        if (rewrites == NULL) {
            goto done;
        }
    }
    Rewriting r = {
        self, tables[0], tables[1], tables[2], tables[3], tables[4], rewriter, rewrites,
        PyTuple_GET_ITEM(loop->told, 0), {0}};
    result = rewrite_from(loop, &r, args[1]);
    stack_free(&r.stack);
done:
    Py_XDECREF(rewriter);
    Py_XDECREF(rewrites);
    release(tables, 5);
    return result;
}

PyObject *
mutate(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    return run_rewriting(loop, args, given, names, false);
}

PyObject *
rewrite(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    return run_rewriting(loop, args, given, names, true);
}

/* ---- Traversal.post_order -------------------------------------------------------------------- */

static int
order_from(PyObject *table, PyObject *enter, PyObject *seen, Stack *stack, PyObject *order)
{
    Py_ssize_t walked = 0;
    PyObject *push = NULL, *node = NULL;
    bool marked;
    int done = 1;
    while (done >= 0 && stack->size) {
        Py_XSETREF(node, stack_pop(stack, &marked));
        if (marked) {
            done = PyList_Append(order, node);
            continue;
        }
        Py_ssize_t before = PySet_GET_SIZE(seen);
        done = PySet_Add(seen, node) < 0 ? -1 : breathe_at(&walked);
        if (done < 0 || PySet_GET_SIZE(seen) == before) {
            continue;
        }
        Py_XSETREF(push, entry_of(table, node));
        int enters = push == NULL ? -1 : push != Py_None;
        if (enters > 0 && enter != Py_None) {
            PyObject *told = PyObject_CallOneArg(enter, node);
            enters = told == NULL ? -1 : PyObject_IsTrue(told);
            Py_XDECREF(told);
        }
        if (enters <= 0) {
            done = enters < 0 ? -1 : PyList_Append(order, node);
            continue;
        }
        done = stack_push(stack, node, true);
        if (done > 0) {
            done = push_below(push, node, NULL, stack);
        }
    }
    Py_XDECREF(push);
    Py_XDECREF(node);
    return done;
}

PyObject *
post_order(Loop *Py_UNUSED(loop), PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (given < 2 || given + named > 3 || Node == NULL
        || (named && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "enter"))) {
        return NULL;
    }
    PyObject *root = args[1], *enter = given + named > 2 ? args[2] : Py_None, *result = NULL;
    int is_node = PyObject_IsInstance(root, Node);
    if (is_node < 0 || !(is_node || PyTuple_CheckExact(root) || PyList_CheckExact(root))) {
        return NULL;
    }
    Stack stack = {0};
    PyObject *table = PyObject_GetAttr(args[0], attr.push_all);
    PyObject *seen = PySet_New(NULL), *order = PyList_New(0);
    int done = table && seen && order ? 1 : -1;
    Py_ssize_t roots = is_node ? 1 : PySequence_Fast_GET_SIZE(root);
    bool unusual = false; /* the loop says what is wrong with a root that is no node */
    for (Py_ssize_t i = roots - 1; done > 0 && !unusual && i >= 0; i--) {
        PyObject *begin = is_node ? root : PySequence_Fast_GET_ITEM(root, i);
        unusual = !is_node && !PyObject_TypeCheck(begin, (PyTypeObject *)Node);
        done = unusual ? 1 : stack_push(&stack, begin, false);
    }
    if (done > 0 && !unusual && order_from(table, enter, seen, &stack, order) >= 0) {
        result = Py_NewRef(order);
    }
    stack_free(&stack);
    Py_XDECREF(table);
    Py_XDECREF(seen);
    Py_XDECREF(order);
    return result;
}

int
loops_begin(void)
{
    PyObject *code = Py_CompileString("lambda: None", __FILE__, Py_eval_input);
    PyObject *globals = PyDict_New();
    breathe = code && globals ? PyEval_EvalCode(code, globals, globals) : NULL;
    one = PyLong_FromLong(1);
    Py_XDECREF(code);
    Py_XDECREF(globals);
    return breathe && one ? 0 : -1;
}
