/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-fail.h"

#include <dirent.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/th-atomic.h"
#include "cache/th-decimal.h"
#include "cache/th-folder.h"
#include "cache/th-png-text.h"
#include "cache/th-uri.h"

#define CAUSE_KEY   "X-Thimble::Cause"
#define TRIES_KEY   "X-Thimble::Tries"
#define BOX_KEY     "X-Thimble::Box"
#define HANDLER_KEY "X-Thimble::Handler"
#define LIMIT_KEY   "X-Thimble::Limit"
#define MESSAGE_KEY "X-Thimble::Message"
/* Text of a decoder is bounded already; that of others is cut. */
#define MAX_MESSAGE 1024
/* "0123456789abcdef0123456789abcdef.png" */
#define MARKER_NAME_BYTES 36
#define MAX_SWEPT         10000u

typedef struct
{
  ThStatus cause;
  guint strikes; /* tries after which nobody tries again */
  char *(*limit) (const ThLimits *limits);
} CauseRow;

static char *
no_limit (const ThLimits *limits)
{
  return g_strdup ("");
}

static char *
size_limit (const ThLimits *limits)
{
  return g_strdup_printf ("pixels=%" G_GUINT64_FORMAT " decode-bytes=%" G_GUINT64_FORMAT,
                          limits->max_pixels, limits->max_plan_bytes);
}

static char *
time_limit (const ThLimits *limits)
{
  return g_strdup_printf ("cpu-ms=%u wall-ms=%u", limits->cpu_ms, limits->wall_ms);
}

static const CauseRow causes[] = {
  { TH_STATUS_CORRUPT, 1, no_limit },
  { TH_STATUS_CRASHED, 1, no_limit },
  { TH_STATUS_TOO_LARGE, 1, size_limit },
  { TH_STATUS_TIMEOUT, 2, time_limit },
};

static const CauseRow *
row_of (ThStatus cause)
{
  for (gsize i = 0; i < G_N_ELEMENTS (causes); i++)
    {
      if (causes[i].cause == cause)
        return &causes[i];
    }
  return NULL;
}

static const CauseRow *
row_named (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (causes); i++)
    {
      if (strcmp (th_status_name (causes[i].cause), name) == 0)
        return &causes[i];
    }
  return NULL;
}

gboolean
th_fail_lasts (ThStatus status)
{
  return row_of (status) != NULL;
}

void
th_failure_clear (ThFailure *failure)
{
  g_free (failure->handler);
  g_free (failure->limit);
  g_free (failure->message);
  *failure = (ThFailure){ 0 };
}

gboolean
th_failure_forbids (const ThFailure *failure, guint32 box)
{
  const CauseRow *row = row_of (failure->cause);

  return row && failure->tries >= row->strikes && box >= failure->box;
}

char *
th_fail_path (const ThCache *cache, const char *uri)
{
  g_autofree char *md5 = th_uri_md5 (uri);

  return g_strconcat (th_cache_root (cache), "/fail/" TH_FAIL_FOLDER "/", md5, ".png", NULL);
}

static gboolean
get_u32 (const ThPngText *text, const char *key, guint32 *value)
{
  const char *at = th_png_text_get (text, key);
  guint64 read;

  if (!at || !th_decimal_u64 (&at, &read) || *at != '\0' || read == 0 || read > G_MAXUINT32)
    return FALSE;
  *value = (guint32) read;
  return TRUE;
}

/* FALSE: nothing that we would have written. */
static gboolean
parse (const ThPngText *text, const char *uri, ThFailure *failure, ThStamp *stamp)
{
  const char *of = th_png_text_get (text, "Thumb::URI");
  const char *cause = th_png_text_get (text, CAUSE_KEY);
  const char *seen = th_png_text_get (text, TH_STAMP_KEY);
  const char *handler = th_png_text_get (text, HANDLER_KEY);
  const char *limit = th_png_text_get (text, LIMIT_KEY);
  const char *message = th_png_text_get (text, MESSAGE_KEY);
  const CauseRow *row = cause ? row_named (cause) : NULL;
  guint32 tries, box;

  if (!of || strcmp (of, uri) != 0 || !row || !seen || !th_stamp_from_text (seen, stamp) || !handler
      || !get_u32 (text, TRIES_KEY, &tries) || !get_u32 (text, BOX_KEY, &box))
    return FALSE;
  *failure = (ThFailure){
    .cause = row->cause,
    .tries = tries,
    .box = box,
    .handler = g_strdup (handler),
    .limit = g_strdup (limit ? limit : ""),
    .message =
        message ? g_utf8_make_valid (message, -1) : g_strdup (th_status_describe (row->cause)),
  };
  return TRUE;
}

ThFailState
th_fail_lookup (const ThCache *cache, const char *uri, const ThStamp *stamp,
                const ThFailBasis *basis, ThFailure *failure)
{
  g_autofree char *path = th_fail_path (cache, uri);
  g_autoptr (ThPngText) text = th_png_text_read (path, NULL);
  g_autofree char *limit = NULL;
  ThStamp seen;

  *failure = (ThFailure){ 0 };
  if (!text || !parse (text, uri, failure, &seen))
    return TH_FAIL_NONE;
  limit = row_of (failure->cause)->limit (basis->limits);
  if (!th_stamp_equal (&seen, stamp))
    return TH_FAIL_FILE;
  if (strcmp (failure->handler, basis->handler) != 0)
    return TH_FAIL_HANDLER;
  return strcmp (failure->limit, limit) == 0 ? TH_FAIL_VALID : TH_FAIL_LIMIT;
}

/* One line of printable text, of a bounded length. */
static char *
plain_text (const char *message)
{
  g_autofree char *valid = g_utf8_make_valid (message, -1);
  glong length = g_utf8_strlen (valid, -1);
  g_autofree char *cut = g_utf8_substring (valid, 0, MIN (length, MAX_MESSAGE));

  for (char *at = cut; *at != '\0'; at++)
    {
      if (g_ascii_iscntrl (*at))
        *at = ' ';
    }
  return g_steal_pointer (&cut);
}

static GBytes *
assemble (const char *uri, const ThStamp *stamp, const ThFailure *failure)
{
  g_autofree char *seconds = g_strdup_printf ("%" G_GINT64_FORMAT, stamp->mtime);
  g_autofree char *tries = g_strdup_printf ("%u", failure->tries);
  g_autofree char *box = g_strdup_printf ("%" G_GUINT32_FORMAT, failure->box);
  g_autofree char *seen = th_stamp_to_text (stamp);
  const ThPngTextEntry entries[] = {
    { "Thumb::URI", uri },
    { "Thumb::MTime", seconds },
    { "Software", "thimble " TH_VERSION },
    { TH_STAMP_KEY, seen },
    { CAUSE_KEY, th_status_name (failure->cause) },
    { TRIES_KEY, tries },
    { BOX_KEY, box },
    { HANDLER_KEY, failure->handler },
    { LIMIT_KEY, failure->limit },
    { MESSAGE_KEY, failure->message },
  };
  guint8 transparent[4] = { 0 };
  const ThImage image = { { 1, 1 }, 4, 4, transparent };
  g_autoptr (ThPngBody) body = th_png_encode (&image);

  return body ? th_png_assemble (body, entries, G_N_ELEMENTS (entries)) : NULL;
}

/* A failure for a small thumbnail is one for all larger ones; one for a large thumbnail says
 * nothing of smaller ones, which may come from a reduced decode or an embedded preview. */
static void
count_on (ThFailure *now, const ThFailure *before)
{
  now->tries = before->tries < G_MAXUINT16 ? before->tries + 1 : before->tries;
  now->box = th_failure_forbids (before, before->box) ? MIN (before->box, now->box)
                                                      : MAX (before->box, now->box);
}

static gboolean
write_marker (const ThCache *cache, const char *uri, GBytes *bytes, GError **error)
{
  g_autofree char *path = th_fail_path (cache, uri);
  g_autofree char *parent = g_path_get_dirname (path);
  int folder = th_folder_open (th_cache_root (cache), parent, error);
  gboolean written;

  if (folder < 0)
    return FALSE;
  written = th_atomic_write_at (folder, path, bytes, error);
  th_folder_close (folder);
  return written;
}

gboolean
th_fail_store (const ThCache *cache, const char *uri, const ThStamp *stamp,
               const ThFailBasis *basis, ThStatus cause, guint32 box, const char *message,
               GError **error)
{
  const CauseRow *row = row_of (cause);
  g_auto (ThFailure) before = { 0 };
  g_auto (ThFailure) now = { .cause = cause, .tries = 1, .box = box };
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (row != NULL && box > 0, FALSE);
  now.handler = g_strdup (basis->handler);
  now.limit = row->limit (basis->limits);
  now.message = plain_text (message);
  if (th_fail_lookup (cache, uri, stamp, basis, &before) == TH_FAIL_VALID && before.cause == cause)
    count_on (&now, &before);
  if (th_uri_is_recordable (uri))
    bytes = assemble (uri, stamp, &now);
  if (bytes)
    return write_marker (cache, uri, bytes, error);
  g_set_error_literal (error, TH_ERROR, TH_ERROR_SAVE_FAILED, "Could not remember the failure");
  return FALSE;
}

void
th_fail_forget (const ThCache *cache, const char *uri, guint32 box)
{
  g_autofree char *path = th_fail_path (cache, uri);
  g_autoptr (ThPngText) text = NULL;
  guint32 failed;

  /* By far most files have none, and looking costs less than removing. */
  if (access (path, F_OK) != 0)
    return;
  text = th_png_text_read (path, NULL);
  if (!text || !get_u32 (text, BOX_KEY, &failed) || box >= failed)
    g_unlink (path);
}

static DIR *
open_own_folder (int parent, const char *name)
{
  int fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder;
  struct stat st;

  if (fd < 0)
    return NULL;
  folder = fstat (fd, &st) == 0 && st.st_uid == geteuid () ? fdopendir (fd) : NULL;
  if (!folder)
    close (fd);
  return folder;
}

static gboolean
is_marker (const char *name)
{
  return strlen (name) == MARKER_NAME_BYTES && g_str_has_suffix (name, ".png");
}

static void
sweep_version (int parent, const char *name, guint *budget)
{
  DIR *folder = open_own_folder (parent, name);
  struct dirent *entry;

  if (!folder)
    return;
  while (*budget > 0 && (entry = readdir (folder)) != NULL)
    {
      if (!is_marker (entry->d_name) && !th_atomic_is_temporary (entry->d_name))
        continue;
      unlinkat (dirfd (folder), entry->d_name, 0);
      (*budget)--;
    }
  closedir (folder);
  /* Stays while anything else is in it. */
  (void) !unlinkat (parent, name, AT_REMOVEDIR);
}

void
th_fail_sweep (const ThCache *cache)
{
  g_autofree char *path = g_build_filename (th_cache_root (cache), "fail", NULL);
  g_autofree char *own = g_build_filename (path, TH_FAIL_FOLDER, NULL);
  DIR *folder = open_own_folder (AT_FDCWD, path);
  guint budget = MAX_SWEPT;
  struct dirent *entry;

  if (!folder)
    return;
  while (budget > 0 && (entry = readdir (folder)) != NULL)
    {
      if (g_str_has_prefix (entry->d_name, TH_FAIL_PREFIX)
          && strcmp (entry->d_name, TH_FAIL_FOLDER) != 0)
        sweep_version (dirfd (folder), entry->d_name, &budget);
    }
  closedir (folder);
  th_folder_remove_stale_temporaries (own);
}
