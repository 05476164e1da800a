/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/th-open.h"
#include "engine/th-engine-private.h"

#define SVG "image/svg+xml"

typedef struct
{
  ThAdmission *admission;
  guint64 held;
  gint cancelled; /* never */
} View;

static void
give_back (View *view)
{
  if (view->held > 0)
    th_admission_release (view->admission, view->held, TH_FOREGROUND);
  view->held = 0;
}

/* A second try after a crash asks again. */
static ThStatus
admit (guint64 bytes, gpointer data, GError **error)
{
  View *view = data;

  give_back (view);
  if (th_admission_acquire (view->admission, bytes, TH_FOREGROUND, &view->cancelled))
    {
      view->held = bytes;
      return TH_STATUS_OK;
    }
  g_set_error_literal (error, TH_ERROR, th_status_to_error (TH_STATUS_CANCELLED),
                       th_status_describe (TH_STATUS_CANCELLED));
  return TH_STATUS_CANCELLED;
}

/* Takes fd over. */
static gboolean
decode (ThEngine *engine, const char *module, int fd, guint32 box, ThDecoded *decoded,
        GError **error)
{
  View view = { .admission = engine->admission };
  ThPoolJob job = {
    .module = module,
    .source_fd = fd,
    .boxes = &box,
    .n_boxes = 1,
    .admit = admit,
    .admit_data = &view,
  };
  ThStatus status = th_pool_decode (engine->pool, TH_FOREGROUND, &job, decoded, error);

  give_back (&view);
  close (fd);
  return th_status_has_pixels (status);
}

gboolean
th_view_file (ThEngine *engine, const char *path, guint32 box, ThDecoded *decoded, GError **error)
{
  int fd = th_open_regular (path, error);

  return fd >= 0 && decode (engine, NULL, fd, box, decoded, error);
}

gboolean
th_view_has_svg (ThEngine *engine)
{
  return th_mime_module (engine->mime, SVG) != NULL;
}

/* Read-only for the worker: its lock-down lets it write nothing anyway. */
static int
fill_memory (const char *text, GError **error)
{
  gsize left = strlen (text);
  int fd = memfd_create ("thimble-view", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  while (fd >= 0 && left > 0)
    {
      gssize n = write (fd, text, left);

      if (n <= 0)
        break;
      text += n;
      left -= (gsize) n;
    }
  if (fd >= 0 && left == 0
      && fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
    return fd;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
               "no memory can be had for a picture: %s", g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

gboolean
th_view_svg (ThEngine *engine, const char *svg, guint32 box, ThDecoded *decoded, GError **error)
{
  const char *module = th_mime_module (engine->mime, SVG);
  int fd;

  if (module == NULL)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "the module svg is not installed");
      return FALSE;
    }
  fd = fill_memory (svg, error);
  return fd >= 0 && decode (engine, module, fd, box, decoded, error);
}
