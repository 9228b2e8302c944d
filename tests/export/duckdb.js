// SPDX-License-Identifier: BSD-2-Clause
// duckdb.js NODE_MODULES SQL - result of DuckDB, one row, "|" between values.
const [folder, sql] = process.argv.slice(2);
const { DuckDBInstance } = require(`${folder}/@duckdb/node-api`);

(async () => {
    const connection = await (await DuckDBInstance.create()).connect();
    const rows = await (await connection.run(sql)).getRows();
    console.log(rows[0].map((value) => value ?? 0).join("|"));
})();
