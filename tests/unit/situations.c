/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "situations.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-paths.h"

#define NAME "a.png"

static void
write_file (const char *path, const char *data, gsize size)
{
  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
}

static void
set_time (const char *path, gint64 seconds, long ns)
{
  const struct timespec times[2] = { { seconds, ns }, { seconds, ns } };

  g_assert_no_errno (utimensat (AT_FDCWD, path, times, 0));
}

void
situation_picture (Fixture *fixture, const char *path, const char *uri)
{
  g_free (fixture_picture (fixture, NAME, 300, 200, 1));
  set_time (path, 1700000000, 5000);
}

static void
nothing (Fixture *fixture, const char *path, const char *uri)
{
}

static void
folder (Fixture *fixture, const char *path, const char *uri)
{
  g_assert_no_errno (g_mkdir (path, 0700));
}

static void
fifo (Fixture *fixture, const char *path, const char *uri)
{
  g_assert_no_errno (mkfifo (path, 0600));
}

static void
dangling (Fixture *fixture, const char *path, const char *uri)
{
  g_assert_no_errno (symlink ("/nowhere/at/all", path));
}

static void
unreadable (Fixture *fixture, const char *path, const char *uri)
{
  situation_picture (fixture, path, uri);
  g_assert_no_errno (g_chmod (path, 0));
}

static void
words (Fixture *fixture, const char *path, const char *uri)
{
  write_file (path, "just words", 10);
}

static void
empty (Fixture *fixture, const char *path, const char *uri)
{
  write_file (path, "", 0);
}

static void
corrupt (Fixture *fixture, const char *path, const char *uri)
{
  write_file (path, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR????????????????????", 36);
  set_time (path, 1700000000, 5000);
}

static void
half (Fixture *fixture, const char *path, const char *uri)
{
  g_autofree char *data = NULL;
  gsize size;

  situation_picture (fixture, path, uri);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  write_file (path, data, size / 2);
}

static void
huge (Fixture *fixture, const char *path, const char *uri)
{
  g_free (fixture_picture (fixture, NAME, 2000, 1000, 1));
  fixture->options.limits.max_pixels = 1000000;
}

/* Has a thumbnail made, and stops the engine again. */
static void
make (Fixture *fixture, const char *uri)
{
  fixture_start (fixture);
  fixture_queue (fixture, &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  fixture_stop (fixture);
  fixture_forget (fixture);
}

void
situation_valid (Fixture *fixture, const char *path, const char *uri)
{
  situation_picture (fixture, path, uri);
  make (fixture, uri);
}

static void
partial_name (Fixture *fixture, const char *path, const char *uri)
{
  g_free (fixture_picture (fixture, NAME ".part", 300, 200, 1));
}

static void
stale (Fixture *fixture, const char *path, const char *uri)
{
  situation_valid (fixture, path, uri);
  set_time (path, 1700000001, 5000);
}

static void
stale_by_little (Fixture *fixture, const char *path, const char *uri)
{
  situation_valid (fixture, path, uri);
  set_time (path, 1700000000, 6000);
}

static void
gone (Fixture *fixture, const char *path, const char *uri)
{
  situation_valid (fixture, path, uri);
  g_assert_no_errno (g_unlink (path));
}

static void
broken_entry (Fixture *fixture, const char *path, const char *uri)
{
  g_autofree char *cached = th_cache_path (fixture->cache, uri, TH_FLAVOR_NORMAL);

  situation_valid (fixture, path, uri);
  write_file (cached, "", 0);
}

static void
cut_entry (Fixture *fixture, const char *path, const char *uri)
{
  g_autofree char *cached = th_cache_path (fixture->cache, uri, TH_FLAVOR_NORMAL);
  g_autofree char *data = NULL;
  gsize size;

  situation_valid (fixture, path, uri);
  g_assert_true (g_file_get_contents (cached, &data, &size, NULL));
  write_file (cached, data, size - 20);
}

/* A PNG that says nothing of whose it is. */
static void
keyless_entry (Fixture *fixture, const char *path, const char *uri)
{
  g_autofree char *cached = th_cache_path (fixture->cache, uri, TH_FLAVOR_NORMAL);
  g_autofree char *data = NULL;
  gsize size;

  situation_valid (fixture, path, uri);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  write_file (cached, data, size);
}

static void
foreign_entry (Fixture *fixture, const char *path, const char *uri)
{
  g_autofree char *other = fixture_picture (fixture, "b.png", 300, 200, 2);
  g_autofree char *other_cached = th_cache_path (fixture->cache, other, TH_FLAVOR_NORMAL);
  g_autofree char *cached = th_cache_path (fixture->cache, uri, TH_FLAVOR_NORMAL);

  situation_picture (fixture, path, uri);
  make (fixture, other);
  g_assert_no_errno (g_rename (other_cached, cached));
}

static void
unwritable (Fixture *fixture, const char *path, const char *uri)
{
  situation_picture (fixture, path, uri);
  write_file (fixture->cache_root, "in the way", 10);
}

static void
failed (Fixture *fixture, const char *path, const char *uri)
{
  corrupt (fixture, path, uri);
  make (fixture, uri);
}

static void
failed_and_mended (Fixture *fixture, const char *path, const char *uri)
{
  failed (fixture, path, uri);
  situation_picture (fixture, path, uri);
}

static void
failed_by_limit (Fixture *fixture, const char *path, const char *uri)
{
  huge (fixture, path, uri);
  make (fixture, uri);
  fixture->options.limits.max_pixels = 3000000;
}

static void
mark (Fixture *fixture, const char *path, const char *uri, ThStatus cause, guint32 box,
      const char *handler)
{
  ThFailBasis basis = { handler, &fixture->options.limits };
  ThStamp stamp;

  g_assert_true (th_stamp_from_path (path, &stamp, NULL, NULL));
  g_assert_true (th_fail_store (fixture->cache, uri, &stamp, &basis, cause, box, "no", NULL));
}

void
situation_mark (Fixture *fixture, const char *path, const char *uri, ThStatus cause, guint32 box,
                const char *handler)
{
  situation_picture (fixture, path, uri);
  mark (fixture, path, uri, cause, box, handler);
}

static void
failed_by_another (Fixture *fixture, const char *path, const char *uri)
{
  situation_mark (fixture, path, uri, TH_STATUS_CRASHED, 128, "something else");
}

static void
slow_once (Fixture *fixture, const char *path, const char *uri)
{
  g_autofree char *worker = th_paths_worker ();
  g_autofree char *handler = th_check_handler (worker);

  situation_mark (fixture, path, uri, TH_STATUS_TIMEOUT, 128, handler);
}

static void
slow_twice (Fixture *fixture, const char *path, const char *uri)
{
  g_autofree char *worker = th_paths_worker ();
  g_autofree char *handler = th_check_handler (worker);

  slow_once (fixture, path, uri);
  mark (fixture, path, uri, TH_STATUS_TIMEOUT, 128, handler);
}

const Situation situations[] = {
  { "not-local", nothing, "image/png", "sftp://host/a.png", .reason = TH_REASON_NOT_LOCAL,
    .status = -1, .state = TH_CACHE_MISSING },
  { "no-uri", nothing, "image/png", "a/b", .reason = TH_REASON_NOT_LOCAL, .status = -1,
    .state = TH_CACHE_MISSING },
  { "missing", nothing, "image/png", .reason = TH_REASON_MISSING, .status = -1,
    .state = TH_CACHE_MISSING },
  { "gone", gone, "image/png", .reason = TH_REASON_MISSING, .status = -1, .state = TH_CACHE_STALE,
    .why = "gone" },
  { "dangling", dangling, "image/png", .reason = TH_REASON_MISSING, .status = -1,
    .state = TH_CACHE_MISSING },
  { "folder", folder, "inode/directory", .reason = TH_REASON_NOT_REGULAR, .status = -1,
    .state = TH_CACHE_MISSING, .why = "folders" },
  { "fifo", fifo, "image/png", .reason = TH_REASON_NOT_REGULAR, .status = -1,
    .state = TH_CACHE_MISSING, .why = "regular" },
  { "unreadable", unreadable, "image/png", .reason = TH_REASON_UNREADABLE, .status = -1,
    .not_as_root = TRUE, .state = TH_CACHE_MISSING },
  { "excluded", situation_valid, "image/png", .rules = "[rules]\nexclude=/",
    .reason = TH_REASON_EXCLUDED, .status = -1, .state = TH_CACHE_VALID, .why = "excludes" },
  { "disabled", situation_picture, "image/png", .rules = "[rules png]\nenabled=false",
    .reason = TH_REASON_RULE, .status = -1, .state = TH_CACHE_MISSING, .why = "switched off" },
  { "disabled-blank", situation_picture, "application/octet-stream",
    .rules = "[rules png]\nenabled=false", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .state = TH_CACHE_MISSING, .why = "switched off" },
  { "partial-name", partial_name, "image/png", .file = NAME ".part", .reason = TH_REASON_PARTIAL,
    .status = -1, .state = TH_CACHE_MISSING, .why = "still being downloaded" },
  { "partial-name-of-no-type", partial_name, "application/x-nothing", .file = NAME ".part",
    .reason = TH_REASON_PARTIAL, .status = -1, .state = TH_CACHE_MISSING },
  { "moving", situation_picture, "image/png", .fake = "touch", .moves = TRUE,
    .reason = TH_REASON_MAKE, .status = TH_STATUS_IO, .state = TH_CACHE_MISSING,
    .why = "still being written" },
  { "unknown-type", words, "text/plain", .reason = TH_REASON_NO_TYPE, .status = -1,
    .state = TH_CACHE_MISSING, .why = "text/plain" },
  { "wrong-type", situation_picture, "text/plain", .reason = TH_REASON_NO_TYPE, .status = -1,
    .state = TH_CACHE_MISSING, .why = "text/plain" },
  { "other-type", situation_picture, "image/gif", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_MISSING },
  { "octet-stream", situation_picture, "application/octet-stream", .reason = TH_REASON_MAKE,
    .status = TH_STATUS_OK, .good = TRUE, .state = TH_CACHE_MISSING },
  { "octet-words", words, "application/octet-stream", .reason = TH_REASON_MAKE,
    .status = TH_STATUS_NOT_MINE, .state = TH_CACHE_MISSING },
  { "good", situation_picture, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_MISSING, .why = "none" },
  { "half", half, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_PARTIAL, .good = TRUE,
    .state = TH_CACHE_MISSING },
  { "corrupt", corrupt, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_CORRUPT,
    .state = TH_CACHE_MISSING },
  { "empty", empty, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_NO_CONTENT,
    .state = TH_CACHE_MISSING },
  { "too-large", huge, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_TOO_LARGE,
    .state = TH_CACHE_MISSING, .why = "megapixels" },
  { "valid", situation_valid, "image/png", .reason = TH_REASON_VALID, .status = -1, .good = TRUE,
    .state = TH_CACHE_VALID },
  { "valid-no-handler", situation_valid, "text/plain", .reason = TH_REASON_VALID, .status = -1,
    .good = TRUE, .state = TH_CACHE_VALID },
  { "stale", stale, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK, .good = TRUE,
    .state = TH_CACHE_STALE, .why = "Thumb::MTime" },
  { "stale-by-little", stale_by_little, "image/png", .reason = TH_REASON_MAKE,
    .status = TH_STATUS_OK, .good = TRUE, .state = TH_CACHE_STALE, .why = "X-Thimble::Stamp" },
  { "broken-entry", broken_entry, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_CORRUPT, .why = "PNG" },
  { "cut-entry", cut_entry, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_CORRUPT, .why = "PNG" },
  { "keyless-entry", keyless_entry, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_CORRUPT, .why = "Thumb::URI" },
  { "slow-once", slow_once, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_MISSING, .failure = TH_FAIL_VALID },
  { "slow-twice", slow_twice, "image/png", .reason = TH_REASON_REMEMBERED, .status = TH_STATUS_OK,
    .state = TH_CACHE_MISSING, .failure = TH_FAIL_VALID, .why = "remembered" },
  { "foreign-entry", foreign_entry, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_CORRUPT, .why = "Thumb::URI" },
  { "unwritable", unwritable, "image/png", .reason = TH_REASON_UNWRITABLE, .status = -1,
    .state = TH_CACHE_MISSING, .why = "not a folder" },
  { "remembered", failed, "image/png", .reason = TH_REASON_REMEMBERED, .status = TH_STATUS_CORRUPT,
    .state = TH_CACHE_MISSING, .failure = TH_FAIL_VALID, .why = "remembered" },
  { "void-file", failed_and_mended, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_MISSING, .failure = TH_FAIL_FILE },
  { "void-limit", failed_by_limit, "image/png", .reason = TH_REASON_MAKE, .status = TH_STATUS_OK,
    .good = TRUE, .state = TH_CACHE_MISSING, .failure = TH_FAIL_LIMIT },
  { "void-handler", failed_by_another, "image/png", .reason = TH_REASON_MAKE,
    .status = TH_STATUS_OK, .good = TRUE, .state = TH_CACHE_MISSING, .failure = TH_FAIL_HANDLER },
  { "crash", situation_picture, "image/png", .fake = "crash", .reason = TH_REASON_MAKE,
    .status = TH_STATUS_CRASHED, .state = TH_CACHE_MISSING, .why = "crashed" },
  { "timeout", situation_picture, "image/png", .fake = "hang", .reason = TH_REASON_MAKE,
    .status = TH_STATUS_TIMEOUT, .state = TH_CACHE_MISSING, .why = "too long" },
  { "no-sandbox", situation_picture, "image/png", .fake = "bare", .reason = TH_REASON_MAKE,
    .status = TH_STATUS_NO_SANDBOX, .state = TH_CACHE_MISSING, .why = "no filter" },
  { "other-version", situation_picture, "image/png", .fake = "old", .reason = TH_REASON_MAKE,
    .status = TH_STATUS_NO_SANDBOX, .state = TH_CACHE_MISSING, .why = "another version" },
};

const gsize n_situations = G_N_ELEMENTS (situations);
