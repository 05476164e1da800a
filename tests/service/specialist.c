/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "specialist.h"

#include <string.h>
#include <unistd.h>

/* Signals that say nothing. */
#define FLOOD 20000u

static const char interface_xml[] =
    "<node><interface name='" SPECIAL "'>"
    "<method name='Queue'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='s' direction='in'/><arg type='b' direction='in'/>"
    "<arg type='u' direction='out'/></method>"
    "<method name='Dequeue'><arg type='u' direction='in'/></method>"
    "</interface></node>";

static void
store (Specialist *self, const char *uri, ThFlavor flavor)
{
  guint8 pixels[16 * 16 * 3] = { 200 };
  const ThImage image = { { 16, 16 }, 3, 16 * 3, pixels };
  g_autofree char *path = g_filename_from_uri (uri, NULL, NULL);
  ThThumbnailInfo info = { .uri = uri, .mime_type = TYPE };
  ThPngBody *body = th_png_encode (&image);

  g_assert_true (th_stamp_from_path (path, &info.stamp, NULL, NULL));
  g_assert_true (th_cache_store (self->cache, flavor, body, &info, NULL));
  th_png_body_free (body);
}

static void
emit (GDBusConnection *connection, const char *signal, GVariant *parameters)
{
  g_dbus_connection_emit_signal (connection, NULL, OBJECT, SPECIAL, signal, parameters, NULL);
}

/* Says what somebody else is to say. */
static void
speak_as_stranger (Specialist *self, guint32 handle, const char *uri)
{
  g_autoptr (GDBusConnection) stranger =
      g_dbus_connection_new_for_address_sync (self->bus->address,
                                              G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                                  | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                              NULL, NULL, NULL);

  emit (stranger, "Ready", g_variant_new ("(us)", handle, uri));
  g_dbus_connection_close_sync (stranger, NULL, NULL);
}

static void
act (Specialist *self, const char *uri, ThFlavor flavor, guint32 handle)
{
  if (strstr (uri, "/ready") != NULL)
    {
      store (self, uri, flavor);
      emit (self->connection, "Ready", g_variant_new ("(us)", handle, uri));
    }
  else if (strstr (uri, "/spoilt") != NULL)
    {
      store (self, uri, flavor);
      emit (self->connection, "Error", g_variant_new ("(usis)", handle, uri, 2, "so I think"));
    }
  else if (strstr (uri, "/lie") != NULL)
    emit (self->connection, "Ready", g_variant_new ("(us)", handle, uri));
  else if (strstr (uri, "/other") != NULL)
    {
      emit (self->connection, "Ready", g_variant_new ("(us)", handle + 1, uri));
      emit (self->connection, "Ready", g_variant_new ("(us)", handle, "file:///another"));
      emit (self->connection, "Finished", g_variant_new ("(u)", handle));
    }
  else if (strstr (uri, "/stranger") != NULL)
    {
      speak_as_stranger (self, handle, uri);
      emit (self->connection, "Error", g_variant_new ("(usis)", handle, uri, 6, "none of mine"));
    }
  else if (strstr (uri, "/error") != NULL)
    emit (self->connection, "Error", g_variant_new ("(usis)", handle, uri, 2, "cannot read it"));
  else if (strstr (uri, "/flood") != NULL)
    for (guint i = 1; i <= FLOOD; i++)
      emit (self->connection, "Ready", g_variant_new ("(us)", handle + i, uri));
  else if (strstr (uri, "/crash") != NULL)
    _exit (3);
  else if (strstr (uri, "/leave") != NULL)
    g_dbus_connection_close (self->connection, NULL, NULL, NULL);
}

static void
on_call (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
         const char *method, GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  Specialist *self = data;
  const char *uri, *type, *flavor;
  gboolean urgent;
  ThFlavor known;

  if (g_str_equal (method, "Dequeue"))
    {
      g_atomic_int_inc (&self->given_up);
      g_dbus_method_invocation_return_value (invocation, NULL);
      return;
    }
  g_atomic_int_inc (&self->asked);
  g_variant_get (parameters, "(&s&s&sb)", &uri, &type, &flavor, &urgent);
  g_assert_true (th_flavor_from_name (flavor, &known));
  /* As a quick one may: the signal before the reply. */
  act (self, uri, known, ++self->last);
  g_dbus_method_invocation_return_value (invocation, g_variant_new ("(u)", self->last));
}

static gpointer
live (gpointer data)
{
  Specialist *self = data;

  g_main_context_push_thread_default (self->context);
  g_main_loop_run (self->loop);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

Specialist *
specialist_new (TestBus *bus, const char *name)
{
  static const GDBusInterfaceVTable vtable = { .method_call = on_call };
  Specialist *self = g_new0 (Specialist, 1);

  self->bus = bus;
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  self->cache = th_cache_new (bus->cache, "a test");
  self->info = g_dbus_node_info_new_for_xml (interface_xml, NULL);
  self->connection =
      g_dbus_connection_new_for_address_sync (bus->address,
                                              G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                                  | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                              NULL, NULL, NULL);
  g_assert_nonnull (self->connection);
  g_main_context_push_thread_default (self->context);
  g_dbus_connection_register_object (self->connection, OBJECT, self->info->interfaces[0], &vtable,
                                     self, NULL, NULL);
  g_main_context_pop_thread_default (self->context);
  self->thread = g_thread_new ("specialist", live, self);
  if (name != NULL)
    g_variant_unref (g_dbus_connection_call_sync (
        self->connection, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName",
        g_variant_new ("(su)", name, 4), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL));
  return self;
}

static gboolean
quit (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

/* A loop that has not begun yet cannot be told to end: it tells itself. */
void
specialist_free (Specialist *self)
{
  GSource *end = g_idle_source_new ();

  g_dbus_connection_close_sync (self->connection, NULL, NULL);
  g_source_set_callback (end, quit, self->loop, NULL);
  g_source_attach (end, self->context);
  g_source_unref (end);
  g_thread_join (self->thread);
  g_object_unref (self->connection);
  g_main_loop_unref (self->loop);
  g_main_context_unref (self->context);
  g_dbus_node_info_unref (self->info);
  th_cache_free (self->cache);
  g_free (self);
}

gboolean
call_register (GDBusConnection *connection, GVariant *parameters)
{
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      connection, MANAGER, "/org/freedesktop/thumbnails/Manager1", MANAGER, "Register", parameters,
      NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL, NULL);

  return reply != NULL;
}

char *
special_uri (TestBus *bus, const char *name)
{
  g_autofree char *path = g_build_filename (bus->pictures, name, NULL);

  g_assert_true (g_file_set_contents (path, "no picture", -1, NULL));
  return g_filename_to_uri (path, NULL, NULL);
}
