/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-admission.h"

struct _ThAdmission
{
  GMutex lock;
  GCond changed;
  guint64 budget;
  guint64 used[TH_N_CLASSES];
  GQueue waiting[TH_N_CLASSES]; /* GList links on the waiters' stacks */
  gboolean closed;
};

ThAdmission *
th_admission_new (guint64 budget_bytes)
{
  ThAdmission *admission = g_new0 (ThAdmission, 1);

  g_mutex_init (&admission->lock);
  g_cond_init (&admission->changed);
  admission->budget = budget_bytes;
  return admission;
}

void
th_admission_free (ThAdmission *admission)
{
  g_mutex_clear (&admission->lock);
  g_cond_clear (&admission->changed);
  g_free (admission);
}

static guint64
total_used (const ThAdmission *admission)
{
  return admission->used[TH_FOREGROUND] + admission->used[TH_BACKGROUND];
}

static gboolean
fits (const ThAdmission *admission, guint64 bytes, ThClass klass)
{
  guint64 share = klass == TH_BACKGROUND ? admission->budget / 2 : admission->budget;
  guint64 total = total_used (admission);

  if (total == 0)
    return TRUE;
  if (bytes > share || admission->used[klass] > share - bytes)
    return FALSE;
  return total <= admission->budget && bytes <= admission->budget - total;
}

/* The head of the foreground's queue, else the head of the background's. */
static gboolean
is_next (const ThAdmission *admission, const GList *link, ThClass klass)
{
  return admission->waiting[klass].head == link
         && (klass == TH_FOREGROUND || admission->waiting[TH_FOREGROUND].head == NULL);
}

gboolean
th_admission_acquire (ThAdmission *admission, guint64 bytes, ThClass klass, const gint *cancelled)
{
  GList link = { NULL, NULL, NULL };
  gboolean granted;

  g_mutex_lock (&admission->lock);
  g_queue_push_tail_link (&admission->waiting[klass], &link);
  while (!admission->closed && !g_atomic_int_get (cancelled)
         && !(is_next (admission, &link, klass) && fits (admission, bytes, klass)))
    g_cond_wait (&admission->changed, &admission->lock);
  g_queue_unlink (&admission->waiting[klass], &link);
  granted = !admission->closed && !g_atomic_int_get (cancelled);
  if (granted)
    admission->used[klass] += bytes;
  /* Whoever stood behind is next now. */
  g_cond_broadcast (&admission->changed);
  g_mutex_unlock (&admission->lock);
  return granted;
}

gboolean
th_admission_try (ThAdmission *admission, guint64 bytes, ThClass klass)
{
  gboolean granted;

  g_mutex_lock (&admission->lock);
  granted =
      !admission->closed && is_next (admission, NULL, klass) && fits (admission, bytes, klass);
  if (granted)
    admission->used[klass] += bytes;
  g_mutex_unlock (&admission->lock);
  return granted;
}

void
th_admission_release (ThAdmission *admission, guint64 bytes, ThClass klass)
{
  g_mutex_lock (&admission->lock);
  g_assert (admission->used[klass] >= bytes);
  admission->used[klass] -= bytes;
  g_cond_broadcast (&admission->changed);
  g_mutex_unlock (&admission->lock);
}

void
th_admission_cancel (ThAdmission *admission, gint *cancelled)
{
  g_mutex_lock (&admission->lock);
  g_atomic_int_set (cancelled, 1);
  g_cond_broadcast (&admission->changed);
  g_mutex_unlock (&admission->lock);
}

void
th_admission_close (ThAdmission *admission)
{
  g_mutex_lock (&admission->lock);
  admission->closed = TRUE;
  g_cond_broadcast (&admission->changed);
  g_mutex_unlock (&admission->lock);
}

guint64
th_admission_in_use (ThAdmission *admission)
{
  guint64 used;

  g_mutex_lock (&admission->lock);
  used = total_used (admission);
  g_mutex_unlock (&admission->lock);
  return used;
}

guint
th_admission_waiting (ThAdmission *admission)
{
  guint waiting;

  g_mutex_lock (&admission->lock);
  waiting = admission->waiting[TH_FOREGROUND].length + admission->waiting[TH_BACKGROUND].length;
  g_mutex_unlock (&admission->lock);
  return waiting;
}
