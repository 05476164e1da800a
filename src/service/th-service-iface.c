/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-service-iface.h"

#include <unistd.h>

#include "dbus/th-dbus.h"
#include "engine/th-engine-status.h"

#define OBJECT_PATH "/org/freedesktop/thumbnails/thimble/Service1"

struct _ThServiceIface
{
  ThDBusThimbleService1 *object;
  ThEngine *engine;
  ThIdle *idle;
};

/* One Forget that has not been answered. */
typedef struct
{
  ThServiceIface *iface;
  GDBusMethodInvocation *invocation;
  guint n;
  guint32 *had;
} Forget;

static void
add_text (GVariantDict *dict, const char *key, const char *text)
{
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  if (valid != NULL)
    g_variant_dict_insert (dict, key, "s", valid);
}

static void
add_classes (GVariantDict *dict, const char *key, guint64 foreground, guint64 background)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{st}"));
  g_variant_builder_add (&builder, "{st}", "foreground", foreground);
  g_variant_builder_add (&builder, "{st}", "background", background);
  g_variant_dict_insert_value (dict, key, g_variant_builder_end (&builder));
}

static void
add_workers (GVariantDict *dict, const GArray *workers)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(subtt)"));
  for (guint i = 0; i < workers->len; i++)
    {
      const ThPoolWorkerInfo *worker = &g_array_index (workers, ThPoolWorkerInfo, i);

      g_variant_builder_add (&builder, "(subtt)", worker->module != NULL ? worker->module : "",
                             (guint32) worker->pid, worker->busy, (guint64) worker->files,
                             worker->memory);
    }
  g_variant_dict_insert_value (dict, "workers", g_variant_builder_end (&builder));
}

static void
add_outcomes (GVariantDict *dict, const ThEngineStatus *status)
{
  GVariantBuilder errors, decodes;

  g_variant_builder_init (&errors, G_VARIANT_TYPE ("a{ut}"));
  for (guint i = 0; i < TH_N_ERRORS; i++)
    if (status->counters.errors[i] > 0)
      g_variant_builder_add (&errors, "{ut}", i, status->counters.errors[i]);
  g_variant_dict_insert_value (dict, "errors", g_variant_builder_end (&errors));
  g_variant_builder_init (&decodes, G_VARIANT_TYPE ("a{st}"));
  for (guint i = 0; i < TH_N_STATUSES; i++)
    if (status->decodes[i] > 0)
      g_variant_builder_add (&decodes, "{st}", th_status_name ((ThStatus) i), status->decodes[i]);
  g_variant_dict_insert_value (dict, "decodes", g_variant_builder_end (&decodes));
}

static void
add_numbers (GVariantDict *dict, const ThEngineStatus *status)
{
  const struct
  {
    const char *key;
    guint64 value;
  } numbers[] = {
    { "uptime", status->uptime / 1000 },
    { "memory", status->memory },
    { "budget", status->budget },
    { "budget-used", status->budget_used },
    { "recent-files", status->recent_files },
    { "recent-bytes", status->recent_bytes },
    { "files", status->counters.files },
    { "bytes", status->counters.bytes },
    { "thumbnails", status->counters.thumbnails },
    { "hits", status->counters.hits },
    { "misses", status->counters.misses },
    { "ready", status->counters.ready },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_variant_dict_insert (dict, numbers[i].key, "t", numbers[i].value);
}

static GVariant *
describe (const ThEngineStatus *status)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  add_text (&dict, "version", TH_VERSION);
  add_text (&dict, "trouble", status->trouble);
  add_text (&dict, "external-trouble", status->external_trouble);
  g_variant_dict_insert (&dict, "pid", "u", (guint32) getpid ());
  g_variant_dict_insert (&dict, "requests", "u", (guint32) status->requests);
  g_variant_dict_insert (&dict, "recent-seconds", "u", (guint32) TH_COUNTERS_RECENT);
  add_numbers (&dict, status);
  add_classes (&dict, "queued", status->queued[TH_FOREGROUND], status->queued[TH_BACKGROUND]);
  add_classes (&dict, "running", status->running[TH_FOREGROUND], status->running[TH_BACKGROUND]);
  add_workers (&dict, status->workers);
  add_outcomes (&dict, status);
  return g_variant_dict_end (&dict);
}

/* Who only watches keeps nothing. */
static gboolean
on_handle_get_status (ThDBusThimbleService1 *object, GDBusMethodInvocation *invocation,
                      gpointer data)
{
  ThServiceIface *iface = data;
  g_auto (ThEngineStatus) status = { 0 };

  th_engine_status (iface->engine, &status);
  th_dbus_thimble_service1_complete_get_status (object, invocation, describe (&status));
  return TRUE;
}

static void
on_forgotten (gboolean complete, gpointer data)
{
  Forget *forget = data;
  ThServiceIface *iface = forget->iface;

  if (complete)
    th_dbus_thimble_service1_complete_forget (iface->object, forget->invocation,
                                              g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32,
                                                                         forget->had, forget->n,
                                                                         sizeof (guint32)));
  else
    g_dbus_method_invocation_return_error_literal (
        forget->invocation, G_DBUS_ERROR, G_DBUS_ERROR_FAILED, "The service is shutting down");
  g_free (forget->had);
  g_free (forget);
  th_idle_release (iface->idle);
}

static gboolean
on_handle_forget (ThDBusThimbleService1 *object, GDBusMethodInvocation *invocation,
                  const char *const *uris, gpointer data)
{
  ThServiceIface *iface = data;
  Forget *forget = g_new0 (Forget, 1);

  *forget = (Forget){ iface, invocation, g_strv_length ((char **) uris), NULL };
  forget->had = g_new0 (guint32, (gsize) forget->n + 1);
  th_idle_hold (iface->idle);
  th_engine_cache_forget (iface->engine, uris, forget->n, forget->had, on_forgotten, forget);
  return TRUE;
}

typedef struct
{
  ThSpecialists *specialists;
  GVariantBuilder builder;
} Listing;

static void
add_pair (const char *scheme, const char *mime_type, gpointer data)
{
  Listing *listing = data;
  g_autoptr (GPtrArray) found = th_specialists_find (listing->specialists, scheme, mime_type);

  for (guint i = 0; i < found->len; i++)
    {
      const ThSpecialist *specialist = found->pdata[i];
      g_autofree char *file = g_utf8_make_valid (specialist->file ? specialist->file : "", -1);

      g_variant_builder_add (&listing->builder, "(ssss)", scheme, mime_type, specialist->name,
                             file);
    }
}

static gboolean
on_handle_get_specialists (ThDBusThimbleService1 *object, GDBusMethodInvocation *invocation,
                           gpointer data)
{
  ThServiceIface *iface = data;
  Listing listing = { .specialists = th_engine_specialists (iface->engine) };

  g_variant_builder_init (&listing.builder, G_VARIANT_TYPE ("a(ssss)"));
  th_specialists_pairs (listing.specialists, add_pair, &listing);
  th_dbus_thimble_service1_complete_get_specialists (object, invocation,
                                                     g_variant_builder_end (&listing.builder));
  return TRUE;
}

static const struct
{
  const char *signal;
  GCallback handler;
} handlers[] = {
  { "handle-get-status", G_CALLBACK (on_handle_get_status) },
  { "handle-forget", G_CALLBACK (on_handle_forget) },
  { "handle-get-specialists", G_CALLBACK (on_handle_get_specialists) },
};

ThServiceIface *
th_service_iface_new (GDBusConnection *connection, ThEngine *engine, ThIdle *idle, GError **error)
{
  g_autoptr (ThServiceIface) iface = g_new0 (ThServiceIface, 1);

  iface->engine = engine;
  iface->idle = idle;
  iface->object = th_dbus_thimble_service1_skeleton_new ();
  for (guint i = 0; i < G_N_ELEMENTS (handlers); i++)
    g_signal_connect (iface->object, handlers[i].signal, handlers[i].handler, iface);
  if (!g_dbus_interface_skeleton_export (G_DBUS_INTERFACE_SKELETON (iface->object), connection,
                                         OBJECT_PATH, error))
    return NULL;
  return g_steal_pointer (&iface);
}

void
th_service_iface_free (ThServiceIface *iface)
{
  g_signal_handlers_disconnect_by_data (iface->object, iface);
  if (g_dbus_interface_skeleton_get_connection (G_DBUS_INTERFACE_SKELETON (iface->object)) != NULL)
    g_dbus_interface_skeleton_unexport (G_DBUS_INTERFACE_SKELETON (iface->object));
  g_object_unref (iface->object);
  g_free (iface);
}
