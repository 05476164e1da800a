/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A locked-down child of this process that decodes one picture. */
#pragma once

#include <sys/types.h>

#include "wire/th-exchange.h"

typedef struct
{
  int socket; /* -1: none */
  pid_t pid;
  guint64 data_base;
} ThHelper;

/* Forks it; the caller has one thread. worker is the program of a module, NULL: it has the built-in
 * codecs. It locks itself down while the caller goes on. FALSE and an error where there is no
 * process to be had; a program that cannot be run is one that ends at once. */
gboolean th_helper_start (ThHelper *helper, const char *worker, GError **error);
/* Waits until it is locked down, then has it decode. Status and error as th_exchange_run. */
ThStatus th_helper_decode (ThHelper *helper, int source_fd, guint32 box, const ThLimits *limits,
                           ThDecoded *decoded, GError **error);
/* Kills it, never waiting. */
void th_helper_clear (ThHelper *helper);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThHelper, th_helper_clear)
