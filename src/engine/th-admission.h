/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory that all decodes share: whoever asks for more than is left waits, nobody fails for
 * it. Knows bytes, not what they are for. */
#pragma once

#include <glib.h>

#include "engine/th-engine.h"

typedef struct _ThAdmission ThAdmission;

ThAdmission *th_admission_new (guint64 budget_bytes);
/* Nobody may wait or hold anything any more. */
void th_admission_free (ThAdmission *admission);

/* Waits until bytes are free. First come, first served within a class, foreground before
 * background; background together takes at most half. More than that whole share is served alone,
 * once nothing else is in use. FALSE where *cancelled was set (see th_admission_wake) or the
 * admission closed. */
gboolean th_admission_acquire (ThAdmission *admission, guint64 bytes, ThClass klass,
                               const gint *cancelled);
/* The same without waiting: FALSE where others wait or there is not enough. */
gboolean th_admission_try (ThAdmission *admission, guint64 bytes, ThClass klass);
/* Gives back what was acquired. */
void th_admission_release (ThAdmission *admission, guint64 bytes, ThClass klass);
/* Sets *cancelled, atomically, and lets whoever waits with it return. */
void th_admission_cancel (ThAdmission *admission, gint *cancelled);
/* Lets everybody who waits return FALSE, and those who come later. */
void th_admission_close (ThAdmission *admission);

guint64 th_admission_in_use (ThAdmission *admission);
/* How many wait now. */
guint th_admission_waiting (ThAdmission *admission);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThAdmission, th_admission_free)
