/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-external-run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/th-bwrap.h"
#include "sandbox/th-child.h"
#include "sandbox/th-deny-list.h"

/* A program that does nothing takes no longer than this to start and end. */
#define PROBE_MS 10000u

typedef enum
{
  PIPE_SAID,
  PIPE_REPORT,
  PIPE_INFO,
  N_PIPES
} Pipe;

/* All descriptors of one run. */
typedef struct
{
  int output;
  int filter;
  int read[N_PIPES];
  int write[N_PIPES];
} Lines;

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (g_steal_fd (fd));
}

static void
lines_clear (Lines *lines)
{
  close_fd (&lines->output);
  close_fd (&lines->filter);
  for (guint i = 0; i < N_PIPES; i++)
    {
      close_fd (&lines->read[i]);
      close_fd (&lines->write[i]);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lines, lines_clear)

static gboolean
lines_open (Lines *lines, gboolean sandboxed, GError **error)
{
  *lines = (Lines){ -1, -1, { -1, -1, -1 }, { -1, -1, -1 } };
  lines->output = memfd_create ("thimble-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (lines->output < 0)
    return th_child_fail ("memory for the output", errno, error);
  for (guint i = 0; i < N_PIPES; i++)
    {
      int pair[2];

      if (pipe2 (pair, O_CLOEXEC) != 0)
        return th_child_fail ("a pipe", errno, error);
      lines->read[i] = pair[0];
      lines->write[i] = pair[1];
      if (fcntl (pair[0], F_SETFL, O_NONBLOCK) != 0)
        return th_child_fail ("a pipe", errno, error);
    }
  if (sandboxed)
    lines->filter = th_deny_list_open (error);
  return !sandboxed || lines->filter >= 0;
}

static void
add_number (GPtrArray *argv, guint64 value)
{
  g_ptr_array_add (argv, g_strdup_printf ("%" G_GUINT64_FORMAT, value));
}

/* In the order of ThExternalArgument. */
static void
add_helper (GPtrArray *argv, const ThExternalRun *run)
{
  const ThExternalSetup *setup = run->setup;

  g_ptr_array_add (argv, g_strdup (setup->bwrap != NULL ? TH_BWRAP_HELPER : setup->helper));
  add_number (argv, setup->bwrap == NULL);
  add_number (argv, setup->memory_bytes);
  add_number (argv, TH_EXTERNAL_FILE_BYTES);
  add_number (argv, setup->bwrap != NULL ? setup->processes : 0);
  add_number (argv, setup->wall_ms / 1000 + 1);
  add_number (argv, run->source_path != NULL ? run->source->st_dev : 0);
  add_number (argv, run->source_path != NULL ? run->source->st_ino : 0);
  g_ptr_array_add (argv, g_strdup (run->place->source));
  g_ptr_array_add (argv, g_strdup (run->place->output));
  for (guint i = 0; run->argv[i] != NULL; i++)
    g_ptr_array_add (argv, g_strdup (run->argv[i]));
}

static GPtrArray *
make_arguments (const ThExternalRun *run)
{
  const ThBwrap bwrap = {
    .bwrap = run->setup->bwrap,
    .helper = run->setup->helper,
    .source = run->source_path,
    .source_is_data = run->place != NULL && run->source_path == NULL,
    .source_there = run->place != NULL ? run->place->source : NULL,
    .bind = run->setup->bind,
  };
  GPtrArray *argv = run->setup->bwrap != NULL ? th_bwrap_arguments (&bwrap)
                                              : g_ptr_array_new_with_free_func (g_free);

  if (run->place != NULL)
    add_helper (argv, run);
  else
    g_ptr_array_add (argv, g_strdup (TH_BWRAP_HELPER));
  g_ptr_array_add (argv, NULL);
  return argv;
}

static gboolean
start (const ThExternalRun *run, Lines *lines, ThChild *child, GError **error)
{
  g_autoptr (GPtrArray) argv = make_arguments (run);
  const gboolean copies = run->place != NULL && run->source_path == NULL;
  const int given[] = { lines->write[PIPE_SAID], lines->output,           lines->write[PIPE_REPORT],
                        lines->filter,           lines->write[PIPE_INFO], run->source_fd };
  const ThChildStart how = {
    .argv = (char **) argv->pdata,
    .folder = run->setup->bwrap == NULL && run->place != NULL ? run->place->folder : NULL,
    .fds = given,
    .n_fds = copies ? G_N_ELEMENTS (given) : G_N_ELEMENTS (given) - 1,
  };

  if (!th_child_start (child, &how, error))
    return FALSE;
  for (guint i = 0; i < N_PIPES; i++)
    close_fd (&lines->write[i]);
  close_fd (&lines->filter);
  return TRUE;
}

/* Nobody writes to it any more. Size and content stay as they are from here on. */
static gboolean
seal (int fd)
{
  return fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

/* The program may have written here what it likes: only numbers that make sense are taken. */
static void
read_report (Lines *lines, ThExternalResult *result)
{
  ThExternalReport report = { 0 };

  if (read (lines->read[PIPE_REPORT], &report, sizeof report) != (gssize) sizeof report
      || report.end <= TH_EXTERNAL_SILENT || report.end > TH_EXTERNAL_SETUP_FAILED)
    return;
  result->end = (ThExternalEnd) report.end;
  result->value = CLAMP (report.value, 0, 4096);
  if (result->end != TH_EXTERNAL_DONE)
    return;
  if (seal (lines->output))
    result->output = g_steal_fd (&lines->output);
  else
    result->end = TH_EXTERNAL_BAD_OUTPUT;
}

static gboolean
is_set (const gint *flag)
{
  return flag != NULL && g_atomic_int_get (flag) != 0;
}

static ThExternalEnd
wait_for_end (const ThExternalRun *run, Lines *lines, ThChild *child, GString *said)
{
  gint64 end = g_get_monotonic_time () + (gint64) run->setup->wall_ms * 1000;

  while (!th_child_wait (child, lines->read[PIPE_SAID], lines->read[PIPE_INFO], said))
    {
      if (is_set (run->cancelled) || is_set (run->closing))
        return TH_EXTERNAL_CANCELLED;
      if (g_get_monotonic_time () >= end)
        return TH_EXTERNAL_TIMEOUT;
    }
  return TH_EXTERNAL_SILENT;
}

void
th_external_run (const ThExternalRun *run, ThExternalResult *result)
{
  g_autoptr (GString) said = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_auto (Lines) lines = { 0 };
  ThChild child;

  *result = (ThExternalResult){ .end = TH_EXTERNAL_NO_SANDBOX, .output = -1 };
  if (!lines_open (&lines, run->setup->bwrap != NULL, &error)
      || !start (run, &lines, &child, &error))
    {
      result->said = g_strdup (error->message);
      return;
    }
  result->end = wait_for_end (run, &lines, &child, said);
  th_child_end (&child, run->setup->bwrap == NULL);
  if (result->end == TH_EXTERNAL_SILENT)
    read_report (&lines, result);
  th_child_drain (lines.read[PIPE_SAID], said);
  result->said = th_child_last_line (said);
}

gboolean
th_external_probe (const ThExternalSetup *setup, char **said)
{
  ThExternalSetup quick = *setup;
  const ThExternalRun run = { .setup = &quick };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_auto (Lines) lines = { 0 };
  ThExternalEnd end;
  ThChild child;

  *said = NULL;
  quick.wall_ms = PROBE_MS;
  if (!lines_open (&lines, TRUE, &error) || !start (&run, &lines, &child, &error))
    {
      *said = g_strdup (error->message);
      return FALSE;
    }
  end = wait_for_end (&run, &lines, &child, text);
  th_child_end (&child, FALSE);
  th_child_drain (lines.read[PIPE_SAID], text);
  *said = th_child_last_line (text);
  /* Called without arguments the helper says so by its exit status. */
  return end == TH_EXTERNAL_SILENT && child.status == 2;
}
