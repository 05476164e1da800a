/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-tell.h"

#include <string.h>

#include "ctl/th-text.h"

static const char *const cache_words[] = {
  [TH_CACHE_VALID] = "valid",
  [TH_CACHE_MISSING] = "missing",
  [TH_CACHE_STALE] = "stale",
  [TH_CACHE_CORRUPT] = "no good",
};

static const char *const failure_words[] = {
  [TH_FAIL_NONE] = "none is remembered",
  [TH_FAIL_VALID] = "valid",
  [TH_FAIL_FILE] = "void: the file has changed",
  [TH_FAIL_HANDLER] = "void: the decoder is another one now",
  [TH_FAIL_LIMIT] = "void: the limit was changed",
};

const char *
th_tell_failure_state (ThFailState state)
{
  return failure_words[state];
}

/* One line, its text made harmless for a terminal. */
static void G_GNUC_PRINTF (3, 4) add_line (GString *out, const char *label, const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autofree char *safe = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  safe = th_text_for_people (text);
  g_string_append_printf (out, "  %-11s %s\n", label, safe);
}

static void
add_file (GString *out, const ThExplanation *about)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (about->mtime);
  g_autofree char *when = time != NULL ? g_date_time_format (time, "%F %T") : g_strdup ("?");

  if (about->kind == NULL)
    add_line (out, "file", "%s", about->path != NULL ? "missing" : "none of this machine");
  else
    add_line (out, "file", "%s, %" G_GUINT64_FORMAT " bytes, modified %s", about->kind, about->size,
              when);
}

static void
add_type (GString *out, const ThExplanation *about)
{
  g_autofree char *chain = g_strjoinv (", ", about->type_chain);

  add_line (out, "type", "%s (by name: %s, by data: %s)", about->type,
            about->type_by_name != NULL ? about->type_by_name : "unknown",
            about->type_by_data != NULL ? about->type_by_data : "unknown");
  add_line (out, "a kind of", "%s", chain);
}

static char *
describe_module (const ThExplainedHandler *handler)
{
  if (handler->module == NULL)
    return g_strdup ("");
  if (!handler->asked)
    return g_strdup_printf (" (module %s)", handler->module);
  if (handler->trouble != NULL)
    return g_strdup_printf (" (module %s, left out: %s)", handler->module, handler->trouble);
  if (handler->landlock_abi == 0)
    return g_strdup_printf (" (module %s, locked down by seccomp)", handler->module);
  return g_strdup_printf (" (module %s, locked down by seccomp and landlock)", handler->module);
}

static void
add_specialists (GString *out, const ThExplanation *about)
{
  for (guint i = 0; i < about->specialists->len; i++)
    {
      const ThSpecialist *specialist = about->specialists->pdata[i];

      add_line (out, i == 0 ? "asked first" : "", "%s (a specialised thumbnailer, %s%s)",
                specialist->name, specialist->file != NULL ? "by " : "registered",
                specialist->file != NULL ? specialist->file : "");
    }
}

static void
add_handlers (GString *out, const ThExplanation *about)
{
  for (guint i = 0; i < about->handlers->len; i++)
    {
      const ThExplainedHandler *handler = &g_array_index (about->handlers, ThExplainedHandler, i);
      g_autofree char *module = describe_module (handler);

      add_line (out, i == 0 ? "handlers" : "", "%s%s%s%s%s", handler->name, module,
                handler->built_in ? "" : " (a program of others)",
                handler->rule != NULL ? ", not used: " : "",
                handler->rule != NULL ? handler->rule : "");
    }
  if (about->handlers->len == 0)
    add_line (out, "handlers", "none for this type");
}

static void
add_thumbnails (GString *out, const ThExplanation *about)
{
  for (guint i = 0; i < TH_N_FLAVORS; i++)
    {
      const ThExplainedThumbnail *thumbnail = &about->thumbnails[i];

      if (thumbnail->state == TH_CACHE_MISSING)
        add_line (out, i == 0 ? "thumbnails" : "", "%-8s %s", th_flavor_name (thumbnail->flavor),
                  thumbnail->why);
      else
        add_line (out, i == 0 ? "thumbnails" : "", "%-8s %s%s%s: %s",
                  th_flavor_name (thumbnail->flavor), cache_words[thumbnail->state],
                  thumbnail->why != NULL ? ", " : "", thumbnail->why != NULL ? thumbnail->why : "",
                  thumbnail->path);
    }
}

static void
add_failure (GString *out, const ThExplanation *about)
{
  const ThFailure *failure = &about->failure;
  const char *secret;

  if (about->failure_state == TH_FAIL_NONE)
    {
      add_line (out, "failures", "%s", th_tell_failure_state (TH_FAIL_NONE));
      return;
    }
  secret = strstr (failure->handler, " #");
  add_line (out, "failures", "%s, %u × for %u pixels: %s", th_status_name (failure->cause),
            failure->tries, failure->box, failure->message);
  add_line (out, "", "by %.*s%s%s", secret != NULL ? (int) (secret - failure->handler) : -1,
            failure->handler, failure->limit[0] != '\0' ? ", limit " : "", failure->limit);
  add_line (out, "", "%s", th_tell_failure_state (about->failure_state));
}

/* Empty where it is not known. */
static char *
say_size (ThSize size)
{
  if (size.width == 0 || size.height == 0)
    return g_strdup ("");
  return g_strdup_printf (", %u × %u", size.width, size.height);
}

static void
add_trial (GString *out, const ThTrial *trial)
{
  g_autofree char *size = say_size (trial->full);

  if (!trial->done)
    return;
  if (th_status_has_pixels (trial->status))
    add_line (out, "a try now", "decodes%s as %s%s%s%s",
              trial->status == TH_STATUS_PARTIAL ? " in part" : "", trial->codec, size,
              trial->message != NULL ? "; " : "", trial->message != NULL ? trial->message : "");
  else
    add_line (out, "a try now", "fails (%s): %s", th_status_name (trial->status), trial->message);
}

/* What to do about it, or NULL. */
static const char *
find_advice (const ThExplanation *about)
{
  if (about->reason == TH_REASON_REMEMBERED)
    return "thimblectl make --retry-failed tries again";
  if (about->reason == TH_REASON_PARTIAL)
    return "whoever downloads it renames it when it is complete";
  if (about->reason == TH_REASON_NO_TYPE && about->type_by_data != NULL
      && !g_str_equal (about->type_by_data, about->type))
    return "its data are of another type than its name says, and programs go by the name";
  return NULL;
}

static void
add_result (GString *out, const ThExplanation *about)
{
  const char *flavor = th_flavor_name (about->flavor);
  const char *advice = find_advice (about);
  g_autofree char *said =
      about->message != NULL ? th_text_about (about->message, about->uri, about->path) : NULL;

  if (about->reason == TH_REASON_VALID)
    add_line (out, "so", "it has a valid thumbnail (%s)", flavor);
  else if (about->good && about->specialists->len > 0)
    add_line (out, "so", "it gets a thumbnail (%s) when a program asks for one, if %s makes it%s",
              flavor, ((const ThSpecialist *) about->specialists->pdata[0])->name,
              about->handlers->len > 0 ? " or another handler does" : "");
  else if (about->good)
    add_line (out, "so", "it gets a thumbnail (%s) when a program asks for one%s", flavor,
              about->trial.done ? "" : ", if it can be decoded");
  else if (about->verdict == TH_CHECK_ERROR)
    add_line (out, "so", "it gets none (%s): %s", th_reason_name (about->reason), said);
  else
    add_line (out, "so", "it gets none (%s): %s",
              th_status_has_pixels (about->trial.status) ? "rule"
                                                         : th_status_name (about->trial.status),
              about->trial.message);
  if (advice != NULL)
    add_line (out, "", "%s", advice);
}

char *
th_tell_file (const ThExplanation *about)
{
  g_autofree char *name = th_text_for_people (about->path != NULL ? about->path : about->uri);
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "%s\n", name);
  add_file (out, about);
  add_type (out, about);
  add_specialists (out, about);
  add_handlers (out, about);
  add_thumbnails (out, about);
  add_failure (out, about);
  add_trial (out, &about->trial);
  add_result (out, about);
  return g_string_free (out, FALSE);
}

static void
add_sandbox (GString *out, const ThExplainedSystem *system)
{
  if (!system->asked)
    return;
  if (system->trouble != NULL)
    add_line (out, "decoders", "none: %s", system->trouble);
  else if (system->landlock_abi > 0)
    add_line (out, "decoders", "locked down by seccomp and landlock (version %d)",
              system->landlock_abi);
  else
    add_line (out, "decoders", "locked down by seccomp; this kernel has no landlock");
}

char *
th_tell_system (const ThExplainedSystem *system, const char *config)
{
  GString *out = g_string_new ("This system\n");

  add_line (out, "cache", "%s%s%s", system->cache_root,
            system->unwritable != NULL ? ", cannot be written: " : "",
            system->unwritable != NULL ? system->unwritable : "");
  add_sandbox (out, system);
  if (system->external != NULL)
    add_line (out, "programs", "of others cannot be run: %s", system->external);
  add_line (out, "settings", "%s", config != NULL ? config : "the defaults");
  return g_string_free (out, FALSE);
}
