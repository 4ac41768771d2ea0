/* Marks what the shared library shows. */
#ifndef INFORMER_EXPORT_H
#define INFORMER_EXPORT_H
#define INF_API __attribute__((visibility("default")))
#endif
