/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A worker under test: a program of this folder with its socket, and what is done to it before it
 * starts. */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "wire/th-exchange.h"

typedef struct
{
  int socket;
  pid_t pid;
  ThWireHello hello;
} Worker;

/* Runs in the child before the program is executed. */
typedef void (*WorkerPrepare) (void);

void worker_start (Worker *worker, const char *program, WorkerPrepare prepare);
/* Waits for HELLO. */
ThStatus worker_greet (Worker *worker, GError **error);
/* Waits until it ends by itself; its wait status. */
int worker_wait (Worker *worker);
/* Kills and reaps it. */
void worker_clear (Worker *worker);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Worker, worker_clear)
