/* Columns of custom resources: those that their definition asks for, each a simple path. */
#include "fakeapi/machine.h"

#include "fakeapi/object.h"
#include "fakeapi/table_cell.h"

enum base_code fakeapi_custom_columns(struct fakeapi_exchange *exchange, struct base_buf *out)
{
	(void)exchange;
	(void)out;
	return BASE_OK;
}

enum base_code fakeapi_custom_cells(struct fakeapi_exchange *exchange,
				    const struct fakeapi_cell *cell, struct base_buf *out)
{
	(void)exchange;
	(void)cell;
	(void)out;
	return BASE_OK;
}
