/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-tell.h"

static const char *const cache_states[] = {
  [TH_CACHE_VALID] = "valid",
  [TH_CACHE_MISSING] = "missing",
  [TH_CACHE_STALE] = "stale",
  [TH_CACHE_CORRUPT] = "corrupt",
};

static const char *const failure_states[] = {
  [TH_FAIL_NONE] = "none",        [TH_FAIL_VALID] = "valid",
  [TH_FAIL_FILE] = "void-file",   [TH_FAIL_HANDLER] = "void-handler",
  [TH_FAIL_LIMIT] = "void-limit",
};

static void
tell_type (ThJson *json, const ThExplanation *about)
{
  th_json_begin_object (json, "type");
  th_json_string (json, "asked", about->type);
  th_json_string (json, "by_name", about->type_by_name);
  th_json_string (json, "by_data", about->type_by_data);
  th_json_begin_array (json, "chain");
  for (guint i = 0; about->type_chain[i] != NULL; i++)
    th_json_string (json, NULL, about->type_chain[i]);
  th_json_end (json);
  th_json_end (json);
}

static void
tell_module (ThJson *json, const ThExplainedHandler *handler)
{
  th_json_string (json, "module", handler->module);
  if (!handler->asked)
    {
      th_json_null (json, "sandbox");
      return;
    }
  th_json_begin_object (json, "sandbox");
  th_json_boolean (json, "seccomp", handler->seccomp);
  th_json_integer (json, "landlock_abi", handler->landlock_abi);
  th_json_string (json, "trouble", handler->trouble);
  th_json_end (json);
}

static void
tell_handlers (ThJson *json, const ThExplanation *about)
{
  th_json_begin_array (json, "handlers");
  for (guint i = 0; i < about->handlers->len; i++)
    {
      const ThExplainedHandler *handler = &g_array_index (about->handlers, ThExplainedHandler, i);

      th_json_begin_object (json, NULL);
      th_json_string (json, "kind", handler->built_in ? "built-in" : "external");
      th_json_string (json, "name", handler->name);
      th_json_string (json, "rule", handler->rule);
      tell_module (json, handler);
      th_json_end (json);
    }
  th_json_end (json);
}

static void
tell_specialists (ThJson *json, const ThExplanation *about)
{
  th_json_begin_array (json, "specialists");
  for (guint i = 0; i < about->specialists->len; i++)
    {
      const ThSpecialist *specialist = about->specialists->pdata[i];

      th_json_begin_object (json, NULL);
      th_json_string (json, "name", specialist->name);
      th_json_string (json, "file", specialist->file);
      th_json_end (json);
    }
  th_json_end (json);
}

static void
tell_thumbnails (ThJson *json, const ThExplanation *about)
{
  th_json_begin_array (json, "thumbnails");
  for (guint i = 0; i < TH_N_FLAVORS; i++)
    {
      const ThExplainedThumbnail *thumbnail = &about->thumbnails[i];

      th_json_begin_object (json, NULL);
      th_json_string (json, "flavor", th_flavor_name (thumbnail->flavor));
      th_json_string (json, "path", thumbnail->path);
      th_json_string (json, "state", cache_states[thumbnail->state]);
      th_json_string (json, "why", thumbnail->why);
      th_json_end (json);
    }
  th_json_end (json);
}

static void
tell_failure (ThJson *json, const ThExplanation *about)
{
  const ThFailure *failure = &about->failure;

  th_json_begin_object (json, "failure");
  th_json_string (json, "path", about->failure_path);
  th_json_string (json, "state", failure_states[about->failure_state]);
  th_json_boolean (json, "forbids", about->failure_forbids);
  if (about->failure_state != TH_FAIL_NONE)
    {
      th_json_string (json, "cause", th_status_name (failure->cause));
      th_json_integer (json, "tries", failure->tries);
      th_json_integer (json, "box", failure->box);
      th_json_string (json, "handler", failure->handler);
      th_json_string (json, "limit", failure->limit);
      th_json_string (json, "message", failure->message);
    }
  th_json_end (json);
}

static void
tell_verdict (ThJson *json, const ThExplanation *about)
{
  th_json_begin_object (json, "verdict");
  th_json_string (json, "flavor", th_flavor_name (about->flavor));
  th_json_string (json, "reason", th_reason_name (about->reason));
  if (about->verdict == TH_CHECK_ERROR)
    th_json_integer (json, "code", (gint64) about->code);
  else
    th_json_null (json, "code");
  th_json_string (json, "message", about->message);
  th_json_end (json);
}

static void
tell_trial (ThJson *json, const ThTrial *trial)
{
  if (!trial->done)
    {
      th_json_null (json, "trial");
      return;
    }
  th_json_begin_object (json, "trial");
  th_json_string (json, "status", th_status_name (trial->status));
  th_json_string (json, "message", trial->message);
  if (th_status_has_pixels (trial->status))
    {
      th_json_string (json, "codec", trial->codec);
      th_json_string (json, "type", trial->mime_type);
    }
  if (trial->full.width > 0 && trial->full.height > 0)
    {
      th_json_integer (json, "width", trial->full.width);
      th_json_integer (json, "height", trial->full.height);
    }
  th_json_end (json);
}

void
th_tell_file_json (ThJson *json, const ThExplanation *about)
{
  th_json_begin_object (json, NULL);
  th_json_string (json, "uri", about->uri);
  th_json_string (json, "path", about->path);
  th_json_string (json, "kind", about->kind);
  if (about->kind != NULL)
    {
      th_json_size (json, "size", about->size);
      th_json_integer (json, "modified", about->mtime);
    }
  tell_type (json, about);
  tell_specialists (json, about);
  tell_handlers (json, about);
  tell_thumbnails (json, about);
  tell_failure (json, about);
  tell_verdict (json, about);
  tell_trial (json, &about->trial);
  th_json_boolean (json, "has_or_gets_thumbnail", about->good);
  th_json_end (json);
}

void
th_tell_system_json (ThJson *json, const ThExplainedSystem *system, const char *config)
{
  th_json_begin_object (json, "system");
  th_json_string (json, "version", TH_VERSION);
  th_json_string (json, "settings", config);
  th_json_string (json, "cache", system->cache_root);
  th_json_boolean (json, "cache_writable", system->unwritable == NULL);
  th_json_string (json, "cache_trouble", system->unwritable);
  if (system->asked)
    {
      th_json_begin_object (json, "sandbox");
      th_json_boolean (json, "seccomp", system->seccomp);
      th_json_integer (json, "landlock_abi", system->landlock_abi);
      th_json_string (json, "trouble", system->trouble);
      th_json_end (json);
    }
  else
    th_json_null (json, "sandbox");
  th_json_string (json, "external_trouble", system->external);
  th_json_end (json);
}
