/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-far.h"

#include "cache/th-uri.h"
#include "engine/th-apart.h"
#include "engine/th-decoders.h"
#include "engine/th-engine-private.h"

gboolean
th_far_name (ThFar *far, ThEngine *engine, const char *uri)
{
  g_autoptr (ThMount) mount = NULL;

  far->engine = engine;
  far->uri = g_strdup (uri);
  far->path = th_uri_to_path (uri, NULL);
  if (far->path == NULL)
    {
      far->name = th_apart_of_uri (uri);
      far->cloud = th_apart_is_cloud (uri);
      return far->name != NULL;
    }
  mount = th_mounts_find (engine->mounts, far->path);
  far->name = th_apart_of_mount (mount);
  far->cloud = mount->cloud;
  return far->name != NULL;
}

static gboolean
fail_silent (const ThFar *far, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "“%s” does not answer",
               far->path != NULL ? far->path : far->name);
  return FALSE;
}

/* What does not answer now will not answer those who come next. */
static void
note_silence (const ThFar *far, const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    th_silence_add (far->engine->silence, far->name);
}

static const char *
where (const ThFar *far)
{
  return far->path != NULL ? far->path : far->uri;
}

gboolean
th_far_look (ThFar *far, ThJob *job, GError **error)
{
  g_autoptr (GError) local = NULL;
  ThReading *reading;

  far->job = job;
  if (th_silence_has (far->engine->silence, far->name))
    return fail_silent (far, error);
  reading = th_readers_look (far->engine->readers, where (far), &far->facts, &local);
  if (reading == NULL)
    {
      note_silence (far, local);
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  th_source_take (&job->source, far->facts.path != NULL ? far->facts.path : far->uri, reading,
                  &far->facts);
  job->seen_at = job->still_at = g_get_monotonic_time ();
  return TRUE;
}

void
th_far_check (ThFar *far, const char *mime_type, ThFlavor flavor, ThCheck *check)
{
  g_auto (ThChecker) checker = { .tools = &far->engine->check_tools, .without_specialists = TRUE };

  th_check_facts (&checker, far->uri, mime_type, flavor, &far->facts, far->cloud, check);
}

/* A state that the look did not see has been seen for no time at all. */
static void
note_state (ThFar *far)
{
  ThJob *job = far->job;

  if (!th_stamp_equal (&job->source.stamp, &far->facts.stamp))
    job->seen_at = job->still_at = g_get_monotonic_time ();
}

static gboolean
open_as (ThFar *far, ThReadHow how, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (th_source_open_as (&far->job->source, how, &local))
    {
      note_state (far);
      return TRUE;
    }
  note_silence (far, local);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* The copy takes memory until the job is over. What the far side says of its size is no more than a
 * hint, but no copy becomes larger than the most. */
static gboolean
open_copy (ThFar *far, GError **error)
{
  ThEngine *engine = far->engine;
  guint64 most = engine->options.readers.max_bytes;
  guint64 bytes = far->facts.stamp.size > 0 ? MIN (far->facts.stamp.size, most) : most;

  if (far->held == 0
      && !th_admission_acquire (engine->copies, bytes, far->job->klass, &far->job->cancelled))
    {
      g_set_error_literal (error, TH_ERROR, th_status_to_error (TH_STATUS_CANCELLED),
                           th_status_describe (TH_STATUS_CANCELLED));
      return FALSE;
    }
  if (far->held == 0)
    far->held = bytes;
  return open_as (far, TH_READ_COPY, error);
}

static guint32
largest_box (ThFlavors flavors)
{
  guint32 box = 0;

  for (guint i = 0; i < TH_N_FLAVORS; i++)
    if ((flavors & TH_FLAVOR_BIT (i)) != 0)
      box = th_flavor_box ((ThFlavor) i);
  return box;
}

/* The picture is not the file: of that nothing is known but its name and type. */
static void
describe_file (ThFar *far)
{
  ThDecoded *decoded = &far->job->decoded;

  decoded->full = (ThSize){ 0, 0 };
  decoded->pages = 0;
  decoded->duration = 0;
  if (far->facts.mime_type != NULL)
    g_strlcpy (decoded->mime_type, far->facts.mime_type, sizeof decoded->mime_type);
}

/* FALSE: there is none, or none of at least this many pixels in its longer side. */
static gboolean
decode_preview (ThFar *far, ThFlavors flavors, guint32 least, GError **error)
{
  ThDecoded *decoded = &far->job->decoded;

  if (!far->facts.has_preview)
    {
      g_set_error_literal (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "it has no preview");
      return FALSE;
    }
  if (!open_as (far, TH_READ_PREVIEW, error)
      || !th_job_decode (far->job, flavors, th_decoders_builtin, error))
    return FALSE;
  if (MAX (decoded->full.width, decoded->full.height) < least)
    {
      g_set_error_literal (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "its preview is too small");
      return FALSE;
    }
  describe_file (far);
  return TRUE;
}

static gboolean
open_file (ThFar *far, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (far->path == NULL || far->facts.stamp.size <= far->engine->options.readers.max_bytes)
    {
      if (open_copy (far, &local))
        return TRUE;
      if (far->facts.path == NULL
          || !g_error_matches (local, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
    }
  return open_as (far, TH_READ_DIRECT, error);
}

gboolean
th_far_decode (ThFar *far, ThFlavors flavors, const char *const *decoders, GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean fetch = !far->cloud || far->engine->options.fetch_cloud;

  if (decode_preview (far, flavors, fetch ? largest_box (flavors) : 0, fetch ? NULL : error))
    return TRUE;
  if (!fetch)
    return FALSE;
  if (open_file (far, &local))
    return th_job_decode (far->job, flavors, decoders, error);
  if (decode_preview (far, flavors, 0, NULL))
    return TRUE;
  far->job->status = TH_STATUS_IO;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

gboolean
th_far_open_for_programs (ThFar *far, GError **error)
{
  return far->facts.path == NULL || open_as (far, TH_READ_DIRECT, error);
}

static gboolean
says_missing (const GError *error)
{
  return g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT)
         || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

gboolean
th_far_is_gone (ThFar *far)
{
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;
  g_autoptr (GError) error = NULL;

  if (th_source_is_unchanged (&far->job->source)
      || th_silence_has (far->engine->silence, far->name))
    return FALSE;
  reading = th_readers_look (far->engine->readers, where (far), &facts, &error);
  if (reading != NULL)
    return FALSE;
  note_silence (far, error);
  return says_missing (error);
}

void
th_far_clear (ThFar *far)
{
  if (far->held > 0)
    th_admission_release (far->engine->copies, far->held, far->job->klass);
  g_clear_pointer (&far->uri, g_free);
  g_clear_pointer (&far->path, g_free);
  g_clear_pointer (&far->name, g_free);
  th_facts_clear (&far->facts);
  *far = (ThFar){ 0 };
}
