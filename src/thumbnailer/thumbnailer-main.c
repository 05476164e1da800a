/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/th-modules.h"
#include "base/th-open.h"
#include "base/th-paths.h"
#include "cache/th-cache.h"
#include "cache/th-uri.h"
#include "thumbnailer/th-arguments.h"
#include "thumbnailer/th-helper.h"
#include "thumbnailer/th-output.h"
#include "wire/th-plan.h"

/* The name under which gnome-desktop shows a file to a sandboxed thumbnailer: not where it is. */
#define ALIAS "/tmp/gnome-desktop-file-to-thumbnail"

typedef struct
{
  char *path;
  char *uri; /* NULL: unknown */
  int fd;
  ThStamp stamp; /* before it was read: a file that changes meanwhile has a stale thumbnail */
} Source;

static void
source_clear (Source *source)
{
  g_free (source->path);
  g_free (source->uri);
  if (source->fd >= 0)
    close (source->fd);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

static gboolean
source_open (Source *source, const char *argument, GError **error)
{
  source->uri = th_uri_from_argument (argument);
  /* A path is opened as it was given: resolving ".." by text may lead elsewhere than the disk. */
  source->path =
      g_str_equal (source->uri, argument) ? th_uri_to_path (argument, error) : g_strdup (argument);
  if (source->path == NULL)
    return FALSE;
  source->fd = th_open_regular (source->path, error);
  if (source->fd < 0 || !th_stamp_from_fd (source->fd, &source->stamp, NULL, error))
    return FALSE;
  if (g_str_has_prefix (source->path, ALIAS) || !th_uri_is_recordable (source->uri))
    g_clear_pointer (&source->uri, g_free);
  return TRUE;
}

/* module is NULL for the built-in codecs. */
static ThStatus
decode_by (const Source *source, const char *module, guint32 box, ThDecoded *decoded,
           GError **error)
{
  g_auto (ThHelper) helper = { .socket = -1 };
  g_autofree char *folder = module != NULL ? th_paths_modules () : NULL;
  g_autofree char *worker = module != NULL ? th_paths_module (folder, module) : NULL;
  ThLimits limits;

  th_limits_init (&limits);
  if (worker != NULL && access (worker, X_OK) != 0)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "the module “%s” is not installed",
                   module);
      return TH_STATUS_NOT_MINE;
    }
  if (!th_helper_start (&helper, worker, error))
    return TH_STATUS_NO_MEMORY;
  return th_helper_decode (&helper, source->fd, box, &limits, decoded, error);
}

/* For people: file managers go by the entries, which name the module. The first that knows the data
 * is it. */
static ThStatus
decode_by_others (const Source *source, const ThArguments *arguments, ThDecoded *decoded,
                  GError **error)
{
  g_autofree char *folder = th_paths_manifests ();
  g_autoptr (GPtrArray) modules = th_modules_list (folder);
  ThStatus status = TH_STATUS_NOT_MINE;

  for (guint i = 0; i < modules->len && status == TH_STATUS_NOT_MINE; i++)
    {
      if (g_strcmp0 (modules->pdata[i], arguments->module) == 0)
        continue;
      g_clear_error (error);
      status = decode_by (source, modules->pdata[i], arguments->size, decoded, error);
    }
  return status;
}

static ThStatus
decode (const Source *source, const ThArguments *arguments, ThDecoded *decoded, GError **error)
{
  ThStatus status = TH_STATUS_NOT_MINE;

  if (arguments->module != NULL)
    status = decode_by (source, arguments->module, arguments->size, decoded, error);
  if (status != TH_STATUS_NOT_MINE)
    return status;
  g_clear_error (error);
  status = decode_by (source, NULL, arguments->size, decoded, error);
  if (status != TH_STATUS_NOT_MINE)
    return status;
  return decode_by_others (source, arguments, decoded, error);
}

static gboolean
save (const Source *source, const ThDecoded *decoded, const char *output, GError **error)
{
  g_autoptr (ThPngBody) body = th_png_encode (&decoded->images[0]);
  g_autoptr (GBytes) file = NULL;
  ThThumbnailInfo info = {
    .uri = source->uri,
    .mime_type = decoded->mime_type,
    .full = decoded->full,
    .stamp = source->stamp,
    .pages = decoded->pages,
    .duration = decoded->duration,
  };

  if (body == NULL)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED, "not enough memory for the thumbnail");
      return FALSE;
    }
  file = th_thumbnail_file (body, &info, "thimble " TH_VERSION);
  return th_output_write (output, file, error);
}

static gboolean
make_thumbnail (const ThArguments *arguments, GError **error)
{
  g_auto (Source) source = { .fd = -1 };
  g_auto (ThDecoded) decoded = { 0 };

  if (!source_open (&source, arguments->input, error)
      || !th_output_check (arguments->output, source.fd, error))
    return FALSE;
  if (!th_status_has_pixels (decode (&source, arguments, &decoded, error)))
    return FALSE;
  return save (&source, &decoded, arguments->output, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;
  ThArguments arguments;
  ThArgumentsResult parsed;

  /* A limit on the size of files is an error to report, not the end. */
  (void) signal (SIGXFSZ, SIG_IGN);
  if (!th_open_standard_streams ())
    return 1;
  parsed = th_arguments_parse (argc, argv, &arguments);
  if (parsed != TH_ARGUMENTS_RUN)
    return parsed == TH_ARGUMENTS_ANSWERED ? 0 : 2;
  if (make_thumbnail (&arguments, &error))
    return 0;
  message = th_plan_safe_text (error->message);
  fprintf (stderr, "thimble-thumbnailer: %s\n", message);
  return 1;
}
