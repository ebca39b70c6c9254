"""The program that runs a network on files, as C; ``NAME`` and ``UPPER`` stand for the network."""

from __future__ import annotations

from typing import Final

MAIN: Final = r"""
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Files are numpy's (.npy), or hold the bytes of the elements alone. */

static int fail(const char *what, const char *why)
{
  fprintf(stderr, "%s: %s\n", what, why);
  return 1;
}

/* writes sizes as numpy does; returns how many characters these are */
static int write_shape(char *text, const int64_t *shape, size_t rank)
{
  int used = sprintf(text, "(");
  for (size_t axis = 0; axis < rank; ++axis) {
    used += sprintf(text + used, axis == 0 ? "%" PRId64 : ", %" PRId64, shape[axis]);
  }
  return used + sprintf(text + used, rank == 1 ? ",)" : ")");
}

/* reads what stands before elements; a file without that says nothing of its shape */
static int read_shape(FILE *file, const char *path, const NAME_port *port, int64_t *shape)
{
  uint8_t head[10];
  if (fread(head, 1, 10, file) != 10 || memcmp(head, "\x93NUMPY\x01\x00", 8) != 0) {
    rewind(file);
    return 0;
  }
  const size_t length = head[8] | (size_t)head[9] << 8;
  char *const text = malloc(length + 1);
  if (text == NULL || fread(text, 1, length, file) != length) {
    free(text);
    return fail(path, "the file ends early");
  }
  text[length] = 0;
  text[strcspn(text, "\n")] = 0;
  const size_t begun = strlen(port->header);
  bool fits = strncmp(text, port->header, begun) == 0 && text[begun] == '(';
  const char *at = text + begun + 1;
  for (size_t axis = 0; fits && axis < port->rank; ++axis) {
    char *end = NULL;
    shape[axis] = strtoll(at, &end, 10);
    fits = end != at && shape[axis] >= 0;
    at = end + strspn(end, ", ");
  }
  if (!fits || *at != ')') {
    fprintf(stderr, "%s: input %s is %s", path, port->name, port->header);
    fprintf(stderr, "%s; found %s\n", port->shape, text);
    free(text);
    return fail(path, "the file holds another array");
  }
  free(text);
  return 0;
}

/* finds whether a file is of the shape that an input has */
static int check_shape(
  const char *path, const NAME_port *port, const int64_t *found, const int64_t *shape)
{
  if (port->rank == 0 || found[0] < 0 || memcmp(found, shape, port->rank * sizeof *found) == 0) {
    return 0;
  }
  char texts[2][24 * UPPER_NUMBERS + 4];
  write_shape(texts[0], shape, port->rank);
  write_shape(texts[1], found, port->rank);
  fprintf(stderr, "%s: input %s is %s; found %s\n", path, port->name, texts[0], texts[1]);
  return fail(path, "the file holds another array");
}

static size_t bytes_of(const NAME_port *port, const int64_t *shape)
{
  size_t bytes = port->bytes;
  for (size_t axis = 0; axis < port->rank; ++axis) bytes *= (size_t)shape[axis];
  return bytes;
}

static int read_input(FILE *file, const char *path, uint8_t *target, size_t bytes)
{
  const char *wrong = NULL;
  if (fread(target, 1, bytes, file) != bytes) {
    wrong = "the file holds fewer elements than the input";
  }
  if (wrong == NULL && fgetc(file) != EOF) wrong = "the file holds more elements than the input";
  fclose(file);
  return wrong == NULL ? 0 : fail(path, wrong);
}

static int write_output(
  const char *path, const NAME_port *port, const int64_t *shape, const uint8_t *source)
{
  FILE *const file = fopen(path, "wb");
  if (file == NULL) return fail(path, "the file cannot be written");
  char text[24 * UPPER_NUMBERS + 128];
  int used = sprintf(text, "%s", port->header);
  used += write_shape(text + used, shape, port->rank);
  used += sprintf(text + used, ", }");
  const size_t length = ((size_t)used + 11 + 63) / 64 * 64 - 10;
  const uint8_t head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, length & 255, length >> 8 & 255};
  const size_t bytes = bytes_of(port, shape);
  bool fits = fwrite(head, 1, 10, file) == 10;
  fits = fprintf(file, "%-*s\n", (int)length - 1, text) == (int)length && fits;
  fits = fwrite(source, 1, bytes, file) == bytes && fits;
  fits = fclose(file) == 0 && fits;
  return fits ? 0 : fail(path, "the file cannot be written whole");
}

static double now(void)
{
  struct timespec found;
  timespec_get(&found, TIME_UTC);
  return (double)found.tv_sec + (double)found.tv_nsec / 1e9;
}

static int usage(void)
{
  fprintf(stderr, "usage: NAME [-w WEIGHTS] [-t TIMES] INPUT... OUTPUT...\ninputs:");
  for (int at = 0; at < UPPER_INPUTS; ++at) {
    const NAME_port *const port = &NAME_inputs[at];
    fprintf(stderr, "\n  %s %s%s", port->name, port->header, port->shape);
  }
  fprintf(stderr, "\noutputs:");
  for (int at = 0; at < UPPER_OUTPUTS; ++at) {
    const NAME_port *const port = &NAME_outputs[at];
    fprintf(stderr, "\n  %s %s%s", port->name, port->header, port->shape);
  }
  fprintf(stderr, "\n");
  return 2;
}

int main(int argc, char **argv)
{
  const char *weights = "NAME.bin";
  long times = 1;
  int at = 1;
  for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
    char *end = argv[at + 1];
    if (strcmp(argv[at], "-w") == 0) {
      weights = argv[at + 1];
    } else if (strcmp(argv[at], "-t") == 0) {
      times = strtol(argv[at + 1], &end, 10);
      if (*end != 0 || times < 1) return usage();
    } else {
      return usage();
    }
  }
  if (argc - at != UPPER_INPUTS + UPPER_OUTPUTS) return usage();
  (void)weights;
LOAD
  static FILE *files[UPPER_INPUTS + 1];
  static const void *inputs[UPPER_INPUTS + 1];
  static void *outputs[UPPER_OUTPUTS + 1];
  static int64_t sizes[UPPER_SIZES + 1], found[UPPER_NUMBERS], numbers[UPPER_NUMBERS];
  memset(found, 0xff, sizeof found);
  const int64_t *told[UPPER_INPUTS + 1];
  size_t place = 1;
  for (int i = 0; i < UPPER_INPUTS; ++i) {
    files[i] = fopen(argv[at + i], "rb");
    if (files[i] == NULL) return fail(argv[at + i], "the file cannot be read");
    told[i] = &found[place];
    if (read_shape(files[i], argv[at + i], &NAME_inputs[i], &found[place]) != 0) return 1;
    place += NAME_inputs[i].rank;
  }
  for (int i = 0; i < UPPER_SIZES; ++i) {
    const int input = NAME_sizes[i].input;
    sizes[i] = told[input][NAME_sizes[i].axis];
    if (sizes[i] < 0) return fail(argv[at + input], "the file tells no sizes; give one of numpy's");
  }
  int32_t status = NAME_measure(sizes, numbers);
  if (status != 0) return fail("NAME", NAME_error(status));
  place = 1;
  for (int i = 0; i < UPPER_INPUTS; ++i) {
    const char *const path = argv[at + i];
    const NAME_port *const port = &NAME_inputs[i];
    if (check_shape(path, port, &found[place], &numbers[place]) != 0) return 1;
    const size_t bytes = bytes_of(port, &numbers[place]);
    uint8_t *const memory = malloc(bytes + 1);
    if (memory == NULL) return fail(path, "there is not enough memory");
    if (read_input(files[i], path, memory, bytes) != 0) return 1;
    inputs[i] = memory;
    place += port->rank;
  }
  const size_t first = place;
  for (int i = 0; i < UPPER_OUTPUTS; ++i) {
    outputs[i] = malloc(bytes_of(&NAME_outputs[i], &numbers[place]) + 1);
    if (outputs[i] == NULL) return fail("outputs", "there is not enough memory");
    place += NAME_outputs[i].rank;
  }
  double least = 1e300;
  for (long run = 0; run < times; ++run) {
    const double start = now();
    status = NAME_run_all(sizes, inputs, outputs);
    if (status != 0) return fail("NAME", NAME_error(status));
    const double taken = now() - start;
    if (taken < least) least = taken;
  }
  if (times > 1) printf("%.6f seconds at best\n", least);
  place = first;
  for (int i = 0; i < UPPER_OUTPUTS; ++i) {
    const NAME_port *const port = &NAME_outputs[i];
    const char *const path = argv[at + UPPER_INPUTS + i];
    if (write_output(path, port, &numbers[place], outputs[i]) != 0) return 1;
    place += port->rank;
  }
  return 0;
}
"""
"""It knows inputs and outputs by the tables of the header; ``LOAD`` is what loads the weights."""
