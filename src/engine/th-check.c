/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-check.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <unistd.h>

#include "cache/th-uri.h"
#include "engine/th-message.h"

typedef struct
{
  ThChecker *checker;
  const char *uri;
  const char *mime_type;
  ThFlavor flavor;
  char *path;
  ThStamp stamp;
  struct stat st;
} Look;

static gboolean
find_path (Look *look, GError **error)
{
  g_autoptr (GError) local = NULL;

  look->path = th_uri_to_path (look->uri, &local);
  if (look->path != NULL)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s", local->message);
  return FALSE;
}

static gboolean
find_file (Look *look, GError **error)
{
  if (!th_stamp_for_lookup (look->path, &look->stamp, &look->st, error))
    return FALSE;
  if (S_ISREG (look->st.st_mode))
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED,
               S_ISDIR (look->st.st_mode) ? "folders have no thumbnail"
                                          : "only regular files have a thumbnail");
  return FALSE;
}

static gboolean
is_no_thumbnail (Look *look, GError **error)
{
  if (!th_cache_contains (look->checker->cache, look->path))
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_IS_THUMBNAIL, "the file is a thumbnail itself");
  return FALSE;
}

/* A thumbnail is not for those who may not see the picture. */
static gboolean
is_readable (Look *look, GError **error)
{
  int code;

  if (faccessat (AT_FDCWD, look->path, R_OK, AT_EACCESS) == 0)
    return TRUE;
  code = errno;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s", g_strerror (code));
  return FALSE;
}

static gboolean
is_tried (Look *look, GError **error)
{
  ThChecker *checker = look->checker;

  if (checker->last_type != look->mime_type)
    {
      checker->last_tried = th_mime_tries (checker->mime, look->mime_type);
      checker->last_type = look->mime_type;
    }
  if (checker->last_tried)
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "no thumbnailer for the type “%s”",
               look->mime_type);
  return FALSE;
}

/* Asked once a pass: it looks at the same folder each time. */
static gboolean
is_writable (Look *look, GError **error)
{
  ThChecker *checker = look->checker;

  if (!checker->asked_writable)
    {
      th_cache_check_writable (checker->cache, &checker->unwritable);
      checker->asked_writable = TRUE;
    }
  if (checker->unwritable == NULL)
    return TRUE;
  g_set_error_literal (error, TH_ERROR, TH_ERROR_SAVE_FAILED, checker->unwritable->message);
  return FALSE;
}

typedef gboolean (*Question) (Look *look, GError **error);

static const Question before_cache[] = { find_path, find_file, is_no_thumbnail, is_readable, NULL };
static const Question before_work[] = { is_tried, is_writable, NULL };

static gboolean
ask (const Question *questions, Look *look, GError **error)
{
  for (; *questions != NULL; questions++)
    if (!(*questions) (look, error))
      return FALSE;
  return TRUE;
}

static ThVerdict
judge (Look *look, GError **error)
{
  if (!ask (before_cache, look, error))
    return TH_CHECK_ERROR;
  if (th_cache_lookup (look->checker->cache, look->uri, look->flavor, &look->stamp)
      == TH_CACHE_VALID)
    return TH_CHECK_VALID;
  return ask (before_work, look, error) ? TH_CHECK_MAKE : TH_CHECK_ERROR;
}

void
th_check (ThChecker *checker, const char *uri, const char *mime_type, ThFlavor flavor,
          ThCheck *check)
{
  Look look = { .checker = checker, .uri = uri, .mime_type = mime_type, .flavor = flavor };
  g_autoptr (GError) error = NULL;

  *check = (ThCheck){ .verdict = judge (&look, &error) };
  if (check->verdict == TH_CHECK_ERROR)
    {
      check->code = th_message_code (error);
      check->message = th_message_text (uri, error);
    }
  else
    check->key = (ThFileKey){
      .device = look.st.st_dev,
      .inode = look.st.st_ino,
      .size = look.stamp.size,
      .mtime = look.stamp.mtime,
      .mtime_ns = look.stamp.mtime_ns,
    };
  g_free (look.path);
}

void
th_checker_clear (ThChecker *checker)
{
  g_clear_error (&checker->unwritable);
}
