system_sql() { # from the share folder of the build; root comes in without a password
    printf '%s\n' "create database mysql;" "use mysql;" "set @auth_root_socket=NULL;"
    for each in \
        mysql_system_tables.sql mariadb_system_tables.sql \
        mysql_performance_tables.sql mariadb_performance_tables.sql \
        mysql_system_tables_data.sql mariadb_system_tables_data.sql \
        fill_help_tables.sql maria_add_gis_sp_bootstrap.sql \
        mysql_sys_schema.sql mariadb_sys_schema.sql; do
        for folder in share share/mysql share/mariadb server/share usr/share/mysql usr/share/mariadb; do
            if [ -f "$BASE/$folder/$each" ]; then
                cat "$BASE/$folder/$each"
                break
            fi
        done
    done
}

system_sql | (server --bootstrap --default-storage-engine=MyISAM --loose-default-tmp-storage-engine=MyISAM \
    --loose-enforce-storage-engine= --max-allowed-packet=8M --net-buffer-length=16K --loose-log-warnings=0) \
    >"$WORK/bootstrap.log" 2>&1 || die "that failed: see $WORK/bootstrap.log and $WORK/error.log"
