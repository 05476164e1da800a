/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-job.h"

#include <unistd.h>

#include "engine/th-mime.h"

/* How often a file that changes while it is read is read. */
#define TRIES 3u

/* What is done to the file that is open. */
typedef struct _Work Work;
struct _Work
{
  ThStatus (*make) (ThJob *job, const Work *work, GError **error);
  ThFlavors flavors;
  const char *const *names; /* of decoders, or of types for programs */
};

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
  gboolean opened = th_source_open (&job->source, path, error);

  job->seen_at = job->still_at = g_get_monotonic_time ();
  return opened;
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
decode_once (ThJob *job, int fd, ThFlavors flavors, const char *module, GError **error)
{
  guint32 boxes[TH_N_FLAVORS];
  ThPoolJob work = {
    .module = module,
    .source_fd = fd,
    .boxes = boxes,
    .n_boxes = list_boxes (job, flavors, boxes),
    .admit = admit,
    .admit_data = job,
    .aborted = &job->aborted,
  };

  drop_pixels (job);
  job->box = boxes[0];
  if (th_admission_try (job->tools->admission, TH_POOL_ALLOWANCE, job->klass))
    work.allowance = job->held = TH_POOL_ALLOWANCE;
  return th_pool_decode (job->tools->pool, job->klass, &work, &job->decoded, error);
}

/* What no second look at the file would change. */
static gboolean
is_final (ThStatus status)
{
  return status == TH_STATUS_CANCELLED || status == TH_STATUS_NO_SANDBOX;
}

/* A module that cannot be had does not know the format; where nobody else does that is what is
 * said. */
static ThStatus
decode_source (ThJob *job, const Work *work, GError **error)
{
  ThStatus status = TH_STATUS_NOT_MINE;
  g_autoptr (GError) missing = NULL;
  g_autoptr (GError) local = NULL;

  for (guint i = 0; work->names[i] != NULL && status == TH_STATUS_NOT_MINE; i++)
    {
      const char *module = *work->names[i] != '\0' ? work->names[i] : NULL;

      g_clear_error (&local);
      status = decode_once (job, job->source.fd, work->flavors, module, &local);
      if (module == NULL || status != TH_STATUS_NO_SANDBOX)
        continue;
      status = TH_STATUS_NOT_MINE;
      g_clear_error (&missing);
      missing = g_steal_pointer (&local);
    }
  if (status == TH_STATUS_NOT_MINE && missing != NULL)
    g_propagate_error (error, g_steal_pointer (&missing));
  else if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return status;
}

/* The picture that a program wrote: what it says of the source is not what the decoder saw. */
static ThStatus
decode_picture (ThJob *job, const Work *work, int fd, const ThSize *full, GError **error)
{
  g_autoptr (GError) local = NULL;
  ThStatus status = decode_once (job, fd, work->flavors, NULL, &local);
  ThDecoded *decoded = &job->decoded;

  if (th_status_has_pixels (status))
    {
      g_strlcpy (decoded->codec, TH_MIME_EXTERNAL, sizeof decoded->codec);
      g_strlcpy (decoded->mime_type, work->names[0], sizeof decoded->mime_type);
      decoded->full = *full;
      decoded->pages = 0;
      decoded->duration = 0;
      return status;
    }
  if (is_final (status))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return status;
    }
  g_set_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT,
               "it wrote no picture that can be shown: %s", local->message);
  return TH_STATUS_PROTOCOL;
}

static ThStatus
run_program (ThJob *job, const Work *work, const ThEntry *entry, GError **error)
{
  ThExternalAsk ask = { entry, &job->source, 0, &job->cancelled };
  g_autoptr (GError) local = NULL;
  g_autofree char *name = NULL;
  ThStatus status;
  ThSize full;
  int fd;

  for (guint i = 0; i < TH_N_FLAVORS; i++)
    if ((work->flavors & TH_FLAVOR_BIT (i)) != 0)
      ask.box = th_flavor_box ((ThFlavor) i);
  job->box = ask.box;
  status = th_external_make (job->tools->external, &ask, &fd, &full, error);
  if (status != TH_STATUS_OK)
    return status;
  status = decode_picture (job, work, fd, &full, &local);
  close (fd);
  if (local == NULL)
    return status;
  name = th_entry_program (entry);
  g_propagate_prefixed_error (error, g_steal_pointer (&local), "%s: ", name);
  return status;
}

static ThStatus
run_programs (ThJob *job, const Work *work, GError **error)
{
  g_autoptr (GPtrArray) entries =
      th_entries_list (th_external_entries (job->tools->external), work->names);
  ThStatus status = TH_STATUS_NOT_MINE;
  g_autoptr (GError) local = NULL;

  for (guint i = 0; i < entries->len && !th_status_has_pixels (status) && !is_final (status); i++)
    {
      const ThEntry *entry = entries->pdata[i];

      if (!th_entry_rules_allow (&entry->rules, job->source.path, job->source.stamp.size))
        continue;
      g_clear_error (&local);
      status = run_program (job, work, entry, &local);
    }
  if (local == NULL && !th_status_has_pixels (status))
    g_set_error (&local, TH_ERROR, TH_ERROR_UNSUPPORTED, "no thumbnailer for the type “%s”",
                 work->names[0] != NULL ? work->names[0] : "");
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return status;
}

/* What was made is of the file as it is. */
static gboolean
is_true (ThJob *job, ThStatus status)
{
  gint64 now = g_get_monotonic_time ();

  if (!is_final (status) && !th_source_is_unchanged (&job->source))
    return FALSE;
  job->still_at = now;
  return TRUE;
}

/* What is at the path now; moved: the same file, in another state. */
static gboolean
open_again (ThJob *job, GError **error)
{
  dev_t device = job->source.device;
  ino_t inode = job->source.inode;

  if (!th_source_reopen (&job->source, error))
    return FALSE;
  job->seen_at = job->still_at = g_get_monotonic_time ();
  job->moved = job->source.device == device && job->source.inode == inode;
  return TRUE;
}

/* Again where there was another file in the end. */
static gboolean
make (ThJob *job, const Work *work, GError **error)
{
  job->moved = FALSE;
  job->status = TH_STATUS_OK;
  for (guint i = 0; i < TRIES && !job->moved; i++)
    {
      g_autoptr (GError) local = NULL;
      ThStatus status = work->make (job, work, &local);

      if (is_true (job, status))
        {
          job->status = status;
          if (local != NULL)
            g_propagate_error (error, g_steal_pointer (&local));
          return th_status_has_pixels (status);
        }
      if (!open_again (job, error))
        return FALSE;
    }
  job->moved = TRUE;
  drop_pixels (job);
  g_set_error_literal (error, TH_ERROR, TH_ERROR_OTHER, TH_JOB_MOVED);
  return FALSE;
}

gboolean
th_job_decode (ThJob *job, ThFlavors flavors, const char *const *decoders, GError **error)
{
  const Work work = { decode_source, flavors, decoders };

  return make (job, &work, error);
}

gboolean
th_job_run_programs (ThJob *job, ThFlavors flavors, const char *const *types, GError **error)
{
  const Work work = { run_programs, flavors, types };

  return make (job, &work, error);
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
  th_admission_cancel (job->tools->copies, &job->cancelled);
}

void
th_job_abort (ThJob *job)
{
  th_pool_abort (job->tools->pool, &job->aborted);
  th_job_cancel (job);
}
