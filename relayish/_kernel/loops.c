/* Loops: the engine's walks over programs, and the module. */

#include "kernel.h"

#include <frameobject.h>

/* A loop stands for a Python function, mostly a method, and takes its arguments.  It returns NULL
   without an exception where it has done nothing and Python has to do it. */
typedef struct Loop Loop;
typedef PyObject *(*Run)(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names);

struct Loop {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Run run;
    PyObject *python; /* the function */
    PyObject *told;   /* a tuple: what else the function would find in its module */
};

/* ---- What loops have in common ----------------------------------------------------------------- */

/* Walked without a call of Python, so many nodes, a loop looks for signals and lets threads run. */
#define BREATH 16384

static PyObject *breathe = NULL; /* a Python function that does nothing: the interpreter does it */
static PyObject *one = NULL;

static PyObject *s_counter, *s_memo, *s_push, *s_rebuild, *s_handlers, *s_images, *s_rewriter,
    *s_rewrites, *s_after, *s_limit, *s_refuse, *s_is_post_order, *s_visit_children, *s_push_all,
    *s_hashes, *s_numbers, *s_hash_leaf;

static inline int
breathe_at(Py_ssize_t *count)
{
    if (++*count % BREATH) {
        return 0;
    }
    PyObject *done = PyObject_CallNoArgs(breathe);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* Returns what a table by kind has for a node, owned; the table makes what is missing. */
static PyObject *
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
    PyObject *append = list == NULL ? NULL : PyObject_GetAttrString(list, "append");
    PyObject *extend = list == NULL ? NULL : PyObject_GetAttrString(list, "extend");
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

static int
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
        PyObject *memo = PyObject_GetAttr(functor, s_memo);
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

static bool
are_all(PyObject *const *values, int count)
{
    for (int i = 0; i < count; i++) {
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

/* Counts one more visit of a node; returns whether it was counted before: 1 or 0, or -1. */
static int
count_visit(PyObject *counter, PyObject *node, long *count)
{
    PyObject *before = PyDict_GetItemWithError(counter, node);
    *count = 1;
    if (before == NULL) {
        return PyErr_Occurred() || PyDict_SetItem(counter, node, one) < 0 ? -1 : 0;
    }
    PyObject *after = PyNumber_Add(before, one);
    int done = after == NULL || PyDict_SetItem(counter, node, after) < 0 ? -1 : 1;
    if (done > 0) {
        *count = PyLong_AsLong(after);
        done = *count == -1 && PyErr_Occurred() ? -1 : 1;
    }
    Py_XDECREF(after);
    return done;
}

/* ---- Visitor._walk ----------------------------------------------------------------------------- */

static PyObject *
walk(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    if (given != 2 || names != NULL) {
        return NULL;
    }
    PyObject *self = args[0], *node = Py_NewRef(args[1]), *push = NULL;
    PyObject *overridden = PyTuple_GET_ITEM(loop->told, 0);
    PyObject *tables[] = {
        PyObject_GetAttr(self, s_counter), PyObject_GetAttr(self, s_push),
        PyObject_GetAttr(self, s_handlers)};
    PyObject *counter = tables[0], *result = NULL;
    Stack stack = {0};
    Py_ssize_t walked = 0;
    long count;
    bool marked, usual = are_all(tables, 3);
    if (!usual || !is_plain_dict(counter)) {
        goto done;
    }
    push = entry_of(tables[1], node);
    if (push == NULL || push_below(push, node, NULL, &stack) < 0) {
        goto failed;
    }
    while (stack.size) {
        Py_SETREF(node, stack_pop(&stack, &marked));
        int known = count_visit(counter, node, &count);
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
        add_frame(loop, self, walked ? node : NULL);
    }
done:
    stack_free(&stack);
    Py_XDECREF(push);
    Py_DECREF(node);
    release(tables, 3);
    return result;
}

/* ---- PostOrderVisitor._walk -------------------------------------------------------------------- */

/* Handles a node that the class takes over; where visit is overridden children go through it. */
static int
handle_in_place(PyObject *self, PyObject *handlers, PyObject *node)
{
    PyObject *asked = PyObject_CallMethodOneArg(self, s_is_post_order, (PyObject *)Py_TYPE(node));
    int first = asked == NULL ? -1 : PyObject_IsTrue(asked);
    Py_XDECREF(asked);
    if (first > 0) {
        PyObject *visited = PyObject_CallMethodOneArg(self, s_visit_children, node);
        first = visited == NULL ? -1 : 0;
        Py_XDECREF(visited);
    }
    return first < 0 ? -1 : keep_result(self, node, call_handler(handlers, self, node));
}

static int
walk_post_order_from(
    PyObject *self, PyObject **tables, PyObject *overridden, long limit, Stack *stack,
    PyObject **node)
{
    PyObject *push = NULL, *after = NULL, *taken[2] = {self, NULL};
    Py_ssize_t walked = 0;
    long count;
    bool marked;
    int done = 1;
    while (done >= 0 && stack->size) {
        Py_XSETREF(*node, stack_pop(stack, &marked));
        if (marked) {
            Py_XSETREF(after, entry_of(tables[3], *node));
            taken[1] = *node;
            PyObject *found = after ? PyObject_Vectorcall(after, taken, 2, NULL) : NULL;
            done = keep_result(self, *node, found);
            continue;
        }
        done = count_visit(tables[0], *node, &count) < 0 ? -1 : breathe_at(&walked);
        if (done < 0 || count > limit) {
            continue;
        }
        Py_XSETREF(push, entry_of(tables[1], *node));
        if (push == NULL) {
            done = -1;
        }
        else if (push == overridden) {
            done = handle_in_place(self, tables[2], *node);
        }
        else {
            Py_XSETREF(after, entry_of(tables[3], *node));
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
    return done;
}

static PyObject *
walk_post_order(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    if (given != 2 || names != NULL) {
        return NULL;
    }
    PyObject *self = args[0], *root = args[1], *node = NULL, *result = NULL;
    PyObject *tables[] = {
        PyObject_GetAttr(self, s_counter), PyObject_GetAttr(self, s_push),
        PyObject_GetAttr(self, s_handlers), PyObject_GetAttr(self, s_after),
        PyObject_GetAttr(self, s_limit)};
    Stack stack = {0};
    if (!are_all(tables, 5) || !is_plain_dict(tables[0]) || !PyLong_CheckExact(tables[4])) {
        goto done;
    }
    long limit = PyLong_AsLong(tables[4]);
    PyObject *count = PyObject_GetItem(tables[0], root); /* the loop counts it as all others */
    PyObject *less = count == NULL ? NULL : PyNumber_Subtract(count, one);
    int begun = less == NULL ? -1 : PyDict_SetItem(tables[0], root, less);
    Py_XDECREF(count);
    Py_XDECREF(less);
    if (begun < 0 || stack_push(&stack, root, false) < 0
        || walk_post_order_from(
               self, tables, PyTuple_GET_ITEM(loop->told, 0), limit, &stack, &node) < 0) {
        add_frame(loop, self, node);
        goto done;
    }
    PyObject *memo = PyObject_GetAttr(self, s_memo);
    result = memo == NULL ? NULL : PyObject_CallMethod(memo, "get", "O", root);
    Py_XDECREF(memo);
done:
    stack_free(&stack);
    Py_XDECREF(node);
    release(tables, 5);
    return result;
}

/* ---- Mutator._mutate and Rewriter._mutate ------------------------------------------------------ */

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
            PyObject *refused = PyObject_CallMethodObjArgs(r->self, s_refuse, node, image, NULL);
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
    if (Py_TYPE(rebuild) == &PlanType) {
        done = plan_rebuild((Plan *)rebuild, node, (Images){r->memo, NULL}, NULL, &made);
    }
    if (done == 0) {
        PyObject *get = PyObject_GetAttrString(r->memo, "get");
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
    PyObject *tables[] = {
        PyObject_GetAttr(self, s_memo), PyObject_GetAttr(self, s_push),
        PyObject_GetAttr(self, s_rebuild), PyObject_GetAttr(self, s_images),
        PyObject_GetAttr(self, s_handlers)};
    if (!are_all(tables, 5) || !is_plain_dict(tables[0])) {
        goto done;
    }
    if (rewrites_nodes) {
        rewriter = PyObject_GetAttr(self, s_rewriter);
        rewrites = rewriter == NULL ? NULL : PyObject_GetAttr(rewriter, s_rewrites);
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

static PyObject *
mutate(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    return run_rewriting(loop, args, given, names, false);
}

static PyObject *
rewrite(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    return run_rewriting(loop, args, given, names, true);
}

/* ---- Traversal.post_order ---------------------------------------------------------------------- */

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

static PyObject *
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
    PyObject *table = PyObject_GetAttr(args[0], s_push_all);
    PyObject *seen = PySet_New(NULL), *order = PyList_New(0);
    int done = table && seen && order ? 1 : -1;
    Py_ssize_t roots = is_node ? 1 : PySequence_Fast_GET_SIZE(root);
    for (Py_ssize_t i = roots - 1; done > 0 && i >= 0; i--) {
        done = stack_push(&stack, is_node ? root : PySequence_Fast_GET_ITEM(root, i), false);
    }
    if (done > 0 && order_from(table, enter, seen, &stack, order) >= 0) {
        result = Py_NewRef(order);
    }
    stack_free(&stack);
    Py_XDECREF(table);
    Py_XDECREF(seen);
    Py_XDECREF(order);
    return result;
}

/* ---- _Hasher._hash_node ------------------------------------------------------------------------ */

/* What the loop is told: tables of pushes and of layouts, the kinds of variables, the shapes of a
   field that holds one node, many, or one or None, and what hashes the value of a literal. */
enum { H_PUSH, H_LAYOUTS, H_VARIABLES, H_ONE, H_MANY, H_OPTIONAL, H_LITERAL };

static PyObject *
hash_of(PyObject *hashes, PyObject *node)
{
    PyObject *found = PyDict_GetItemWithError(hashes, node);
    if (found == NULL && !PyErr_Occurred()) {
        PyErr_SetObject(PyExc_KeyError, node);
    }
    return Py_XNewRef(found);
}

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
        return take(parts, hash_of(hashes, value));
    }
    if (held == told[H_MANY]) {
        Py_ssize_t size = PyTuple_Check(value) ? PyTuple_GET_SIZE(value) : -1;
        int done = size < 0 ? -1 : take(parts, PyLong_FromSsize_t(size));
        for (Py_ssize_t i = 0; done >= 0 && i < size; i++) {
            done = take(parts, hash_of(hashes, PyTuple_GET_ITEM(value, i)));
        }
        return done;
    }
    if (held == Py_None) {
        return take(parts, PyObject_CallOneArg(told[H_LITERAL], value));
    }
    if (value == Py_None) {
        return take(parts, PyLong_FromLong(0));
    }
    if (held == told[H_OPTIONAL]) {
        return take(parts, hash_of(hashes, value));
    }
    return take(parts, PyObject_CallMethodOneArg(self, s_hash_leaf, value));
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
        done = take(parts, hash_of(numbers, node));
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

static PyObject *
hash_node(Loop *loop, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    if (given != 2 || names != NULL) {
        return NULL;
    }
    PyObject *tables[] = {
        PyObject_GetAttr(args[0], s_hashes), PyObject_GetAttr(args[0], s_numbers)};
    PyObject *result = NULL;
    Stack stack = {0};
    if (are_all(tables, 2) && PyDict_CheckExact(tables[0]) && PyDict_CheckExact(tables[1])
        && stack_push(&stack, args[1], false) > 0
        && hash_below(loop, args[0], tables[0], tables[1], &stack) >= 0) {
        result = hash_of(tables[0], args[1]);
    }
    stack_free(&stack);
    release(tables, 2);
    return result;
}

/* ---- Node.with_fields -------------------------------------------------------------------------- */

static PyObject *
update(Loop *Py_UNUSED(loop), PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    PyObject *made = NULL;
    return given == 1 && with_fields(args[0], args + 1, names, &made) > 0 ? made : NULL;
}

/* ---- Loops as functions ------------------------------------------------------------------------ */

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
    {"with_fields", update, 0},
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
    Py_XDECREF(loop->python);
    Py_XDECREF(loop->told);
    PyObject_GC_Del(loop);
}

/* Functions are their own copies, and are pickled by name: so are loops. */
static PyObject *
same(PyObject *self, PyObject *Py_UNUSED(memo))
{
    return Py_NewRef(self);
}

static PyObject *
loop_name(PyObject *self, PyObject *Py_UNUSED(none))
{
    return PyObject_GetAttrString(((Loop *)self)->python, "__qualname__");
}

static PyMethodDef loop_methods[] = {
    {"__copy__", same, METH_NOARGS, NULL},
    {"__deepcopy__", same, METH_O, NULL},
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
    .tp_call = PyVectorcall_Call,
    .tp_descr_get = loop_bind,
    .tp_getattro = loop_attribute,
    .tp_methods = loop_methods,
    .tp_traverse = (traverseproc)loop_traverse,
    .tp_dealloc = (destructor)loop_free,
};

/* ---- The module -------------------------------------------------------------------------------- */

static PyMethodDef functions[] = {
    {"layout", kernel_layout, METH_VARARGS, "Return what makes nodes of a kind of trusted values."},
    {"plan", kernel_plan, METH_VARARGS, "Return what pushes the children of a node, or rebuilds it."},
    {"loop", kernel_loop, METH_VARARGS, "Return what is called in the place of a function."},
    {"settle", kernel_settle, METH_VARARGS, "Say of which classes objects never lead to nodes."},
    {NULL},
};

static int
begin(PyObject *Py_UNUSED(module))
{
    const struct {
        PyObject **place;
        const char *text;
    } names[] = {
        {&s_counter, "visit_counter"}, {&s_memo, "memo_map"}, {&s_push, "_push"},
        {&s_rebuild, "_rebuild"}, {&s_handlers, "_handlers"}, {&s_images, "_images"},
        {&s_rewriter, "_rewriter"}, {&s_rewrites, "_rewrites"}, {&s_after, "_after"},
        {&s_limit, "visit_limit"}, {&s_refuse, "_refuse"}, {&s_is_post_order, "_is_post_order"},
        {&s_visit_children, "visit_children"}, {&s_push_all, "push_all"}, {&s_hashes, "_hashes"},
        {&s_numbers, "_numbers"}, {&s_hash_leaf, "_hash_leaf"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        *names[i].place = PyUnicode_InternFromString(names[i].text);
        if (*names[i].place == NULL) {
            return -1;
        }
    }
    PyObject *code = Py_CompileString("lambda: None", __FILE__, Py_eval_input);
    PyObject *globals = PyDict_New();
    breathe = code && globals ? PyEval_EvalCode(code, globals, globals) : NULL;
    one = PyLong_FromLong(1);
    Py_XDECREF(code);
    Py_XDECREF(globals);
    if (breathe == NULL || one == NULL || layouts_begin() < 0 || plans_begin() < 0) {
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
