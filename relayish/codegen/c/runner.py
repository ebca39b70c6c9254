"""The program that runs a network on files, as C; ``NAME`` and ``UPPER`` stand for the network."""

from __future__ import annotations

from typing import Final

MAIN: Final = r"""
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

static int read_input(const char *path, const NAME_port *port, uint8_t *target)
{
  FILE *const file = fopen(path, "rb");
  if (file == NULL) return fail(path, "the file cannot be read");
  uint8_t head[10];
  const size_t count = fread(head, 1, 10, file);
  const char *wrong = NULL;
  if (count == 10 && memcmp(head, "\x93NUMPY\x01\x00", 8) == 0) {
    const size_t length = head[8] | (size_t)head[9] << 8;
    char *const text = malloc(length + 1);
    if (text == NULL || fread(text, 1, length, file) != length) {
      wrong = "the file ends early";
    } else if (strncmp(text, port->header, strlen(port->header)) != 0) {
      text[length] = 0;
      text[strcspn(text, "\n")] = 0;
      fprintf(stderr, "%s: input %s is %s; found %s\n", path, port->name, port->header, text);
      wrong = "the file holds another array";
    }
    free(text);
  } else {
    rewind(file);
  }
  if (wrong == NULL && fread(target, 1, port->bytes, file) != port->bytes) {
    wrong = "the file holds fewer elements than the input";
  }
  if (wrong == NULL && fgetc(file) != EOF) wrong = "the file holds more elements than the input";
  fclose(file);
  return wrong == NULL ? 0 : fail(path, wrong);
}

static int write_output(const char *path, const NAME_port *port, const uint8_t *source)
{
  FILE *const file = fopen(path, "wb");
  if (file == NULL) return fail(path, "the file cannot be written");
  const size_t used = 10 + strlen(port->header) + 1;
  const size_t length = (used + 63) / 64 * 64 - 10;
  const uint8_t head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, length & 255, length >> 8};
  bool fits = fwrite(head, 1, 10, file) == 10;
  fits = fprintf(file, "%-*s\n", (int)length - 1, port->header) == (int)length && fits;
  fits = fwrite(source, 1, port->bytes, file) == port->bytes && fits;
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
    fprintf(stderr, "\n  %s %s", NAME_inputs[at].name, NAME_inputs[at].header);
  }
  fprintf(stderr, "\noutputs:");
  for (int at = 0; at < UPPER_OUTPUTS; ++at) {
    fprintf(stderr, "\n  %s %s", NAME_outputs[at].name, NAME_outputs[at].header);
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
  static const void *inputs[UPPER_INPUTS + 1];
  static void *outputs[UPPER_OUTPUTS + 1];
  for (int i = 0; i < UPPER_INPUTS; ++i) {
    uint8_t *const memory = malloc(NAME_inputs[i].bytes + 1);
    if (memory == NULL) return fail(argv[at + i], "there is not enough memory");
    if (read_input(argv[at + i], &NAME_inputs[i], memory) != 0) return 1;
    inputs[i] = memory;
  }
  for (int i = 0; i < UPPER_OUTPUTS; ++i) {
    outputs[i] = malloc(NAME_outputs[i].bytes + 1);
    if (outputs[i] == NULL) return fail("outputs", "there is not enough memory");
  }
  double least = 1e300;
  for (long run = 0; run < times; ++run) {
    const double start = now();
    const int32_t status = NAME_run_all(inputs, outputs);
    if (status != 0) return fail("NAME", NAME_error(status));
    const double taken = now() - start;
    if (taken < least) least = taken;
  }
  if (times > 1) printf("%.6f seconds at best\n", least);
  for (int i = 0; i < UPPER_OUTPUTS; ++i) {
    const char *const path = argv[at + UPPER_INPUTS + i];
    if (write_output(path, &NAME_outputs[i], outputs[i]) != 0) return 1;
  }
  return 0;
}
"""
"""It knows inputs and outputs by the tables of the header; ``LOAD`` is what loads the weights."""
