/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shared memory into which a worker puts its results: made, sized, sealed and read by the
 * owning side. */
#pragma once

#include <glib.h>

/* A memfd of exactly size bytes that can neither shrink nor grow, close-on-exec; -1 and an error
 * where the system has none to give. */
int th_result_new (guint64 size, GError **error);
/* Copies it once into private memory, whatever the worker goes on doing to it. NULL and an error
 * where memory is short. Caller frees. */
guint8 *th_result_copy (int fd, guint64 size, GError **error);
