/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-external.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/th-cores.h"
#include "base/th-paths.h"
#include "cache/th-png-text.h"
#include "sandbox/th-bwrap.h"
#include "sandbox/th-external-run.h"

#define MIB (1024u * (guint64) 1024u)
/* A sandbox that cannot be had is tried again after this, doubling each time. */
#define RETRY_FIRST (1 * G_USEC_PER_SEC)
#define RETRY_LAST  (60 * G_USEC_PER_SEC)
/* Processes and threads of one program: some, and a few for each core. */
#define PROCESSES          64u
#define PROCESSES_PER_CORE 8u
/* Since this kernel RLIMIT_NPROC counts within a user namespace, and not all that a person runs. */
#define COUNTING_KERNEL 5014

struct _ThExternal
{
  ThExternalOptions options;
  ThEntries *entries;
  char *helper;
  char *bind;
  guint processes;
  gint closing;
  GMutex lock; /* of all below */
  char *trouble;
  gint64 retry_at;
  gint64 retry_delay;
};

void
th_external_options_init (ThExternalOptions *options)
{
  *options = (ThExternalOptions){ .wall_ms = 20000, .memory_bytes = 1024 * MIB };
}

void
th_external_options_clear (ThExternalOptions *options)
{
  g_clear_pointer (&options->folders, g_strfreev);
}

static guint
count_processes (void)
{
  struct utsname names;
  char *rest;
  guint64 version;

  if (uname (&names) != 0)
    return 0;
  version = g_ascii_strtoull (names.release, &rest, 10) * 1000;
  if (*rest == '.')
    version += g_ascii_strtoull (rest + 1, NULL, 10);
  return version >= COUNTING_KERNEL ? PROCESSES + PROCESSES_PER_CORE * g_get_num_processors () : 0;
}

ThExternal *
th_external_new (const ThExternalOptions *options)
{
  ThExternal *external = g_new0 (ThExternal, 1);

  external->options = *options;
  external->options.folders = NULL;
  external->entries = th_entries_new ((const char *const *) options->folders);
  external->helper = th_paths_external ();
  external->bind = th_paths_uninstalled () ? g_strdup (g_getenv ("TH_EXTERNAL_BIND")) : NULL;
  external->processes = count_processes ();
  g_mutex_init (&external->lock);
  return external;
}

void
th_external_free (ThExternal *external)
{
  th_entries_free (external->entries);
  g_free (external->helper);
  g_free (external->bind);
  g_free (external->trouble);
  g_mutex_clear (&external->lock);
  g_free (external);
}

ThEntries *
th_external_entries (ThExternal *external)
{
  return external->entries;
}

void
th_external_close (ThExternal *external)
{
  g_atomic_int_set (&external->closing, 1);
}

char *
th_external_trouble (ThExternal *external)
{
  char *trouble;

  g_mutex_lock (&external->lock);
  trouble = g_strdup (external->trouble);
  g_mutex_unlock (&external->lock);
  return trouble;
}

static void
note_trouble (ThExternal *external, const char *text)
{
  g_mutex_lock (&external->lock);
  g_free (external->trouble);
  external->trouble = g_strdup (text);
  external->retry_delay =
      text == NULL ? 0 : CLAMP (external->retry_delay * 2, RETRY_FIRST, RETRY_LAST);
  external->retry_at = g_get_monotonic_time () + external->retry_delay;
  g_mutex_unlock (&external->lock);
}

/* The trouble that is too recent to try again. */
static char *
recent_trouble (ThExternal *external)
{
  char *trouble = NULL;

  g_mutex_lock (&external->lock);
  if (external->trouble != NULL && g_get_monotonic_time () < external->retry_at)
    trouble = g_strdup (external->trouble);
  g_mutex_unlock (&external->lock);
  return trouble;
}

static ThStatus fail (ThStatus status, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static ThStatus
fail (ThStatus status, GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, TH_ERROR, (int) th_status_to_error (status), text);
  return status;
}

static char *
find_bwrap (void)
{
  if (th_paths_uninstalled () && g_getenv ("TH_BWRAP") != NULL)
    return g_strdup (g_getenv ("TH_BWRAP"));
  return g_find_program_in_path ("bwrap");
}

/* Sets bwrap, or leaves it NULL where programs are to run bare. */
static ThStatus
choose_sandbox (ThExternal *external, char **bwrap, GError **error)
{
  g_autofree char *trouble = recent_trouble (external);

  *bwrap = NULL;
  if (trouble == NULL)
    {
      *bwrap = find_bwrap ();
      if (*bwrap != NULL)
        return TH_STATUS_OK;
      trouble = g_strdup ("bubblewrap (the program bwrap) is not installed");
      note_trouble (external, trouble);
    }
  if (external->options.allow_unsandboxed)
    return TH_STATUS_OK;
  return fail (TH_STATUS_NO_SANDBOX, error,
               "the programs for such files cannot be locked in on this system: %s", trouble);
}

/* Whether the sandbox itself is to blame for a run that said nothing. */
static ThStatus
examine_sandbox (ThExternal *external, const ThExternalSetup *setup, const char *said,
                 GError **error)
{
  g_autofree char *trouble = NULL;

  if (th_external_probe (setup, &trouble))
    return fail (TH_STATUS_IO, error, "bubblewrap: %s",
                 said != NULL ? said : "ended without a word");
  if (trouble == NULL)
    trouble = g_strdup ("bubblewrap ended without a word");
  note_trouble (external, trouble);
  return fail (TH_STATUS_NO_SANDBOX, error,
               "the programs for such files cannot be locked in on this system: %s", trouble);
}

static char *
resolve (const char *path)
{
  char *real = realpath (path, NULL);
  char *copy = g_strdup (real);

  free (real);
  return copy;
}

/* Those that are no program but a door to one, which stays shut. */
static const char *const doors[] = { "flatpak", "snap", "snapcraft", "docker", "podman", NULL };

static gboolean
is_door (const char *real)
{
  g_autofree char *name = g_path_get_basename (real);

  return g_strv_contains (doors, name);
}

/* The path to start it by. */
static ThStatus
find_program (ThExternal *external, const ThEntry *entry, gboolean sandboxed, char **program,
              GError **error)
{
  const char *name = entry->words[0];
  g_autofree char *path = g_find_program_in_path (name);
  g_autofree char *real = path != NULL ? resolve (path) : NULL;

  *program = NULL;
  if (real == NULL)
    return fail (TH_STATUS_IO, error, "it is not installed");
  if (sandboxed && (is_door (path) || is_door (real)))
    return fail (TH_STATUS_IO, error,
                 "it starts something from a container, which does not work inside a sandbox");
  if (sandboxed && !th_bwrap_shows (real, external->bind))
    return fail (TH_STATUS_IO, error,
                 "%s lies outside /usr and cannot be run inside a sandbox; install it there", real);
  *program = !sandboxed || th_bwrap_shows (path, external->bind) ? g_steal_pointer (&path)
                                                                 : g_steal_pointer (&real);
  return TH_STATUS_OK;
}

/* How runs end without a picture. */
static const struct
{
  ThStatus status;
  const char *text;
} ends[TH_EXTERNAL_N_ENDS] = {
  [TH_EXTERNAL_WRONG_SOURCE] = { TH_STATUS_IO, "another file took the place of this one" },
  [TH_EXTERNAL_NO_OUTPUT] = { TH_STATUS_NO_CONTENT, "it wrote no picture" },
  [TH_EXTERNAL_BAD_OUTPUT] = { TH_STATUS_PROTOCOL, "what it wrote is no regular file" },
  [TH_EXTERNAL_LARGE_OUTPUT] = { TH_STATUS_PROTOCOL, "what it wrote is larger than 64 MiB" },
  [TH_EXTERNAL_TIMEOUT] = { TH_STATUS_TIMEOUT, "it took too long" },
  [TH_EXTERNAL_CANCELLED] = { TH_STATUS_CANCELLED, "cancelled" },
  [TH_EXTERNAL_NO_SANDBOX] = { TH_STATUS_IO, "it could not be started" },
};

static ThStatus
explain (const ThExternalResult *result, GError **error)
{
  const char *colon = result->said != NULL ? ": " : "";
  const char *said = result->said != NULL ? result->said : "";

  if (result->end == TH_EXTERNAL_EXITED)
    return fail (TH_STATUS_NOT_MINE, error, "it ended with exit status %d%s%s", result->value,
                 colon, said);
  if (result->end == TH_EXTERNAL_SIGNALLED)
    return fail (TH_STATUS_CRASHED, error, "it crashed (%s)%s%s", g_strsignal (result->value),
                 colon, said);
  if (result->end == TH_EXTERNAL_NOT_RUN)
    return fail (TH_STATUS_IO, error, "it cannot be run: %s", g_strerror (result->value));
  if (result->end == TH_EXTERNAL_SETUP_FAILED)
    return fail (TH_STATUS_IO, error, "its limits cannot be set: %s", g_strerror (result->value));
  return fail (ends[result->end].status, error, "%s%s%s", ends[result->end].text, colon, said);
}

/* A copy in memory, of a file that lies elsewhere. */
static gboolean
is_copy (const ThSource *source)
{
  return source->reading != NULL && source->how != TH_READ_DIRECT;
}

/* The path of the very file that is open, as far as it still has one. What a reader brought cannot
 * be asked for it: it is a copy or wrapped, and its path was said when it was found. */
static char *
path_of (const ThSource *source)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", source->fd);

  return source->reading != NULL ? g_strdup (source->path) : g_file_read_link (link, NULL);
}

/* A descriptor of its own, from the start of the copy; -1: the source has a path. */
static int
open_copy (const ThSource *source)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", source->fd);

  return is_copy (source) ? open (link, O_RDONLY | O_CLOEXEC) : -1;
}

static ThStatus
run_at (const ThExternalAsk *ask, const ThExternalPlace *place, const char *program,
        ThExternalRun *how, ThExternalResult *result)
{
  const ThEntryValues values = { place->source, place->output, ask->box };
  g_auto (GStrv) argv = th_entry_expand (ask->entry, &values);

  g_free (argv[0]);
  argv[0] = g_strdup (program);
  how->place = place;
  how->argv = (const char *const *) argv;
  how->source_fd = open_copy (ask->source);
  th_external_run (how, result);
  if (how->source_fd >= 0)
    close (how->source_fd);
  return TH_STATUS_OK;
}

static ThStatus
run (ThExternal *external, const ThExternalAsk *ask, const ThExternalSetup *setup,
     const char *program, ThExternalResult *result, GError **error)
{
  g_autofree char *path = path_of (ask->source);
  const struct stat source = { .st_dev = ask->source->device, .st_ino = ask->source->inode };
  gboolean copy = is_copy (ask->source);
  g_auto (ThExternalPlace) place = { 0 };
  ThExternalRun how = {
    .setup = setup,
    .source_path = copy ? NULL : path,
    .source = &source,
    .cancelled = ask->cancelled,
    .closing = &external->closing,
  };

  if (path == NULL || (*path != '/' && !copy) || th_external_place_owns (path))
    return fail (TH_STATUS_IO, error, "such a file is given to no program");
  if (copy && setup->bwrap == NULL)
    return fail (TH_STATUS_IO, error, "without bubblewrap only files of this machine are given it");
  if (!th_external_place_init (&place, setup->bwrap != NULL, path, error))
    return TH_STATUS_IO;
  return run_at (ask, &place, program, &how, result);
}

/* "tEXt" of what the program wrote: nothing but two numbers is believed. */
static guint32
read_side (const ThPngText *text, const char *keyword)
{
  const char *value = th_png_text_get (text, keyword);
  guint64 side;

  if (value == NULL || !g_ascii_string_to_unsigned (value, 10, 1, G_MAXINT32, &side, NULL))
    return 0;
  return (guint32) side;
}

static void
read_full (int fd, ThSize *full)
{
  off_t size = lseek (fd, 0, SEEK_END);
  /* Sealed: it cannot shrink under us. */
  void *data = size > 0 ? mmap (NULL, (gsize) size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  g_autoptr (ThPngText) text = NULL;

  *full = (ThSize){ 0, 0 };
  if (data == MAP_FAILED)
    return;
  text = th_png_text_parse (data, (gsize) size, NULL);
  munmap (data, (gsize) size);
  if (text == NULL)
    return;
  full->width = read_side (text, "Thumb::Image::Width");
  full->height = read_side (text, "Thumb::Image::Height");
  if (full->width == 0 || full->height == 0)
    *full = (ThSize){ 0, 0 };
}

static ThStatus
make_once (ThExternal *external, const ThExternalAsk *ask, int *picture, ThSize *full,
           GError **error)
{
  g_autofree char *bwrap = NULL;
  g_autofree char *program = NULL;
  g_autofree char *said = NULL;
  ThExternalResult result = { .output = -1 };
  ThExternalSetup setup = {
    .helper = external->helper,
    .bind = external->bind,
    .wall_ms = external->options.wall_ms,
    .memory_bytes = external->options.memory_bytes,
    .processes = external->processes,
  };
  ThStatus status = choose_sandbox (external, &bwrap, error);

  setup.bwrap = bwrap;
  if (status == TH_STATUS_OK)
    status = find_program (external, ask->entry, bwrap != NULL, &program, error);
  if (status == TH_STATUS_OK)
    status = run (external, ask, &setup, program, &result, error);
  if (status != TH_STATUS_OK)
    return status;
  said = result.said;
  if (result.end == TH_EXTERNAL_SILENT && bwrap != NULL)
    return examine_sandbox (external, &setup, said, error);
  if (bwrap != NULL)
    note_trouble (external, NULL);
  if (result.end != TH_EXTERNAL_DONE)
    return explain (&result, error);
  *picture = result.output;
  read_full (result.output, full);
  return TH_STATUS_OK;
}

ThStatus
th_external_make (ThExternal *external, const ThExternalAsk *ask, int *picture, ThSize *full,
                  GError **error)
{
  g_autofree char *name = th_entry_program (ask->entry);
  g_autoptr (GError) local = NULL;
  ThStatus status;

  *picture = -1;
  *full = (ThSize){ 0, 0 };
  status = make_once (external, ask, picture, full, &local);
  if (status == TH_STATUS_NO_SANDBOX && external->options.allow_unsandboxed)
    {
      /* Now that it is known. */
      g_clear_error (&local);
      status = make_once (external, ask, picture, full, &local);
    }
  if (status == TH_STATUS_OK)
    return status;
  /* What concerns all programs is no fault of this one. */
  if (status == TH_STATUS_NO_SANDBOX)
    g_propagate_error (error, g_steal_pointer (&local));
  else
    fail (status, error, "%s: %s", name, local->message);
  return status;
}
