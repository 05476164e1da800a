/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/threads.h"

#include <pthread.h>

static void *
do_nothing (void *data)
{
  return data;
}

gboolean
th_threads_prepare (void)
{
  pthread_t thread;

  return pthread_create (&thread, NULL, do_nothing, NULL) == 0 && pthread_join (thread, NULL) == 0;
}
