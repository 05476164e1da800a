/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the session bus comes to a service: who owns a name now, and which activation file would
 * start one. Starts nothing. */
#pragma once

#include <gio/gio.h>

/* NULL where there is no session bus; none is started. Caller unrefs. */
GDBusConnection *th_activation_bus (void);
/* Makes the bus read its activation files again. */
gboolean th_activation_reload (GDBusConnection *bus, GError **error);
/* Process id of the owner, 0 where the name is free. */
guint32 th_activation_owner (GDBusConnection *bus, const char *name);
/* The program that a process runs, its number where that cannot be told. Caller frees. */
char *th_activation_program (guint32 pid);

/* The first *.service file of the folder that declares name, other than the one called except (may
 * be NULL). NULL where there is none. Caller frees. */
char *th_activation_find (const char *folder, const char *name, const char *except);
/* The same over all folders in the order in which a bus with our environment looks. */
char *th_activation_first (const char *name);
/* A value of an activation file, NULL where it is not there. Caller frees. */
char *th_activation_value (const char *file, const char *key);
