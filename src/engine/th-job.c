/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-job.h"

/* How often a file that changes while it is read is read. */
#define TRIES 3u

void
th_job_init (ThJob *job, const ThJobTools *tools, ThClass klass)
{
  *job = (ThJob){ .tools = tools, .klass = klass, .source = TH_SOURCE_INIT };
}

static void
drop_pixels (ThJob *job)
{
  for (guint i = 0; i < TH_N_FLAVORS; i++)
    g_clear_pointer (&job->bodies[i], th_png_body_free);
  th_decoded_clear (&job->decoded);
  if (job->held > 0)
    th_admission_release (job->tools->admission, job->held, job->klass);
  job->held = 0;
}

void
th_job_clear (ThJob *job)
{
  drop_pixels (job);
  th_source_clear (&job->source);
}

gboolean
th_job_open (ThJob *job, const char *path, GError **error)
{
  return th_source_open (&job->source, path, error);
}

gboolean
th_job_is_at (const ThJob *job, const char *path)
{
  return th_source_is_at (&job->source, path);
}

gboolean
th_job_is_file_at (const ThJob *job, const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && st.st_dev == job->source.device && st.st_ino == job->source.inode;
}

gboolean
th_job_is_cached (const ThJob *job, const char *uri, ThFlavor flavor)
{
  return th_cache_lookup (job->tools->cache, uri, flavor, &job->source.stamp) == TH_CACHE_VALID;
}

/* A second try after a crash asks again: nothing is held while waiting. */
static ThStatus
admit (guint64 bytes, gpointer data, GError **error)
{
  ThJob *job = data;

  if (job->held > 0)
    th_admission_release (job->tools->admission, job->held, job->klass);
  job->held = 0;
  if (th_admission_acquire (job->tools->admission, bytes, job->klass, &job->cancelled))
    {
      job->held = bytes;
      return TH_STATUS_OK;
    }
  g_set_error_literal (error, TH_ERROR, th_status_to_error (TH_STATUS_CANCELLED),
                       th_status_describe (TH_STATUS_CANCELLED));
  return TH_STATUS_CANCELLED;
}

/* Largest first. */
static guint
list_boxes (ThJob *job, ThFlavors flavors, guint32 *boxes)
{
  guint n = 0;

  for (guint i = TH_N_FLAVORS; i-- > 0;)
    if ((flavors & TH_FLAVOR_BIT (i)) != 0)
      {
        job->flavors[n] = (ThFlavor) i;
        boxes[n++] = th_flavor_box ((ThFlavor) i);
      }
  return n;
}

static ThStatus
decode_once (ThJob *job, ThFlavors flavors, GError **error)
{
  guint32 boxes[TH_N_FLAVORS];
  ThPoolJob work = {
    .source_fd = job->source.fd,
    .boxes = boxes,
    .n_boxes = list_boxes (job, flavors, boxes),
    .admit = admit,
    .admit_data = job,
  };

  drop_pixels (job);
  job->box = boxes[0];
  return th_pool_decode (job->tools->pool, job->klass, &work, &job->decoded, error);
}

/* What no second look at the file would change. */
static gboolean
is_final (ThStatus status)
{
  return status == TH_STATUS_CANCELLED || status == TH_STATUS_NO_SANDBOX;
}

gboolean
th_job_decode (ThJob *job, ThFlavors flavors, GError **error)
{
  for (guint i = 0; i < TRIES; i++)
    {
      g_autofree char *path = g_strdup (job->source.path);
      g_autoptr (GError) local = NULL;
      ThStatus status = decode_once (job, flavors, &local);

      if (is_final (status) || th_source_is_unchanged (&job->source))
        {
          job->status = status;
          if (local != NULL)
            g_propagate_error (error, g_steal_pointer (&local));
          return th_status_has_pixels (status);
        }
      if (!th_source_open (&job->source, path, error))
        return FALSE;
    }
  drop_pixels (job);
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "the file is still being written");
  return FALSE;
}

static gboolean
encode (ThJob *job, guint i, GError **error)
{
  if (job->bodies[i] == NULL)
    job->bodies[i] = th_png_encode (&job->decoded.images[i]);
  if (job->bodies[i] != NULL)
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "not enough memory to encode the thumbnail");
  return FALSE;
}

gboolean
th_job_store (ThJob *job, const char *uri, ThFlavor flavor, GError **error)
{
  const ThDecoded *decoded = &job->decoded;
  ThThumbnailInfo info = {
    .uri = uri,
    .mime_type = decoded->mime_type,
    .full = decoded->full,
    .stamp = job->source.stamp,
    .pages = decoded->pages,
    .duration = decoded->duration,
  };
  g_autoptr (GError) local = NULL;
  guint i = 0;

  while (i < decoded->n_images && job->flavors[i] != flavor)
    i++;
  g_return_val_if_fail (i < decoded->n_images, FALSE);
  if (!encode (job, i, error))
    return FALSE;
  if (th_cache_store (job->tools->cache, flavor, job->bodies[i], &info, &local))
    return TRUE;
  /* Whatever went wrong with the disk, to clients it is one thing. */
  g_set_error_literal (error, TH_ERROR, TH_ERROR_SAVE_FAILED, local->message);
  return FALSE;
}

void
th_job_cancel (ThJob *job)
{
  th_admission_cancel (job->tools->admission, &job->cancelled);
}
