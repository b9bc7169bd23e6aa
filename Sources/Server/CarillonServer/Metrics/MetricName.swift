/// The names of the metrics and their meaning: the HELP lines, and the table of the page Metrics.
package enum MetricName {
    /// The meaning of each metric, by name.
    package static let help: [String: String] = [
        "carillon_build_info": "1; the version and the revision (the commit, or `unknown`) are labels.",
        "carillon_ready": "1 while /readyz answers 200.",
        "carillon_cluster_position":
            "Position in the shared log of the last entry that this node contains; only of a node of a cluster.",
        "carillon_cluster_lag_entries":
            "Entries that are known to be in the shared log and that this node does not contain.",
        "carillon_cluster_lease_seconds":
            "Seconds for which this node may begin pushes and answer requests if it hears nothing more; 0 if it may "
            + "not.",
        "carillon_cluster_nodes": "Nodes of the cluster that are not over, as this node saw them last.",
        "carillon_cluster_log_entries": "Entries that the shared log keeps, as this node saw it last.",
        "carillon_cluster_log_bytes_total":
            "Bytes of the entries of the shared log that this node has applied since its start.",
        "carillon_cluster_append_seconds":
            "Time from handing an entry to PostgreSQL until it is durable there; entries of this node only.",
        "carillon_cluster_claimed_messages":
            "Messages of which this node sends the whole or a part; of the oldest 10,000.",
        "carillon_cluster_claimed_pages":
            "Pages that this node has claimed of messages that several nodes send.",
        "carillon_requests_total": "Requests by operation and result: ok, or the code of the error.",
        "carillon_request_seconds": "Time from the read of a request to its answer, by operation.",
        "carillon_principal_requests_total": "Requests of the clients of a principal, AUTH included.",
        "carillon_apns_channel_calls_total":
            "Requests to APNs' channel management by result: `ok`, or the reason of the failure.",
        "carillon_client_connections": "Client connections, open or being opened.",
        "carillon_client_half_open_connections": "Half-open client connections: those that have not authenticated.",
        "carillon_client_memory_bytes": "Memory that requests, incoming frames and unread answers of all clients take.",
        "carillon_client_memory_refusals_total": "Times that a connection had to wait for memory.",
        "carillon_client_refusals_total": "Client connections refused because there were too many.",
        "carillon_client_displacements_total":
            "Half-open client connections closed because a new one needed their room.",
        "carillon_authentication_failures_total": "API keys that were refused.",
        "carillon_batch_seconds": "One batch of changes, from the queue to the last answer, with its sync.",
        "carillon_batch_changes": "Changes in one batch.",
        "carillon_queue_changes": "Changes that wait for the writer.",
        "carillon_queue_bytes": "Roughly the bytes of the changes that wait for the writer.",
        "carillon_messages_accepted_total": "Messages accepted by SEND, RESEND or with a JOIN, by app and lane.",
        "carillon_messages_stored": "Messages that are kept on disk, in any state.",
        "carillon_messages_sendable": "Messages on disk that are to be sent now; paused and scheduled ones are not.",
        "carillon_messages_scheduled": "Messages on disk that wait for their time.",
        "carillon_messages_in_memory": "Unfinished messages in memory; the others wait on disk.",
        "carillon_recipients_in_memory": "Recipients of the pages in memory.",
        "carillon_lane_messages": "Unfinished messages in memory, by lane.",
        "carillon_lane_recipients":
            "Recipients in memory, by lane and state: waiting for a connection, delayed until a retry, in-flight.",
        "carillon_pages_waiting": "Pages of recipients that wait for a pool.",
        "carillon_pages_suspended": "Pages that are out of memory until a retry in them is due.",
        "carillon_deliveries_in_flight": "Deliveries handed to connections and not answered.",
        "carillon_outcomes_unrecorded": "Outcomes that are not on disk: a crash would repeat their pushes.",
        "carillon_outcomes_total": "Outcomes on disk, by app and outcome.",
        "carillon_delivery_seconds":
            "Time from the acceptance of a message, or its scheduled time, to the final answer, by lane and provider.",
        "carillon_devices": "Devices by app and state: active or quarantined. Counted now and then.",
        "carillon_devices_by_provider":
            "Active devices by app and the provider that delivers to them: apns, fcm or web. Counted now and then.",
        "carillon_groups": "Groups by app. Counted now and then.",
        "carillon_topics": "Topics by app. Counted now and then.",
        "carillon_bad_token_alarm":
            "1 while a provider calls too many tokens of an app bad; no device is quarantined for it then.",
        "carillon_apns_attempts_total": "Pushes written to APNs, by credential and environment.",
        "carillon_apns_answers_total": "Answers of APNs by status and reason; 200 has none.",
        "carillon_apns_answer_seconds": "Time from the hand-over of a push to a connection to APNs' answer.",
        "carillon_apns_undecided_attempts_total":
            "Attempts at APNs that did not end a delivery, by kind; another may follow or not.",
        "carillon_apns_in_flight": "Pushes that APNs has not answered.",
        "carillon_apns_connections": "Connections by state: opening, open, draining.",
        "carillon_apns_connection_in_flight": "Pushes of one connection that APNs has not answered.",
        "carillon_apns_connection_streams":
            "Streams that APNs allows one connection; 0 after it has ended.",
        "carillon_apns_connection_answers_total": "Answers on one connection since it was opened.",
        "carillon_apns_connection_limit_pushes_per_second":
            "Limit of a connection that APNs serves worse than others, in pushes a second; -1 if it is not limited.",
        "carillon_apns_connection_window_bytes":
            "Bytes of bodies that APNs takes on one connection before it opens its window further; 0 after it has "
            + "ended.",
        "carillon_apns_connection_round_trip_seconds":
            "Round-trip time of one connection by TCP, to the proxy if there is one; 0 until it is measured.",
        "carillon_apns_connections_opened_total": "Connections to APNs that were opened.",
        "carillon_apns_connection_failures_total":
            "Attempts to connect to APNs that failed, by cause: dns, refused, timeout, certificate-expired and others.",
        "carillon_apns_pool_outage_seconds":
            "Time since the first failed attempt to connect without a working connection; 0 if there is one.",
        "carillon_apns_pool_unreachable":
            "1 if a pool has had no connection to APNs for 10 seconds: its messages wait.",
        "carillon_apns_pool_parked":
            "1 if APNs refuses the credential altogether: one push is tried again after a while.",
        "carillon_apns_parked_apps": "Apps for which APNs refuses the credential; their messages wait.",
        "carillon_apns_provider_token_age_seconds": "Age of the provider token in use; it is renewed after 50 minutes.",
        "carillon_fcm_attempts_total": "Pushes written to FCM, by credential.",
        "carillon_fcm_answers_total": "Answers of FCM by status and reason; 200 has none.",
        "carillon_fcm_answer_seconds": "Time from the hand-over of a push to a connection to FCM's answer.",
        "carillon_fcm_undecided_attempts_total": "Attempts at FCM that did not end a delivery, by kind.",
        "carillon_fcm_in_flight": "Pushes that FCM has not answered.",
        "carillon_fcm_connections": "Connections to FCM by state: opening, open, draining.",
        "carillon_fcm_connection_in_flight": "Pushes of one connection that FCM has not answered.",
        "carillon_fcm_connection_streams":
            "Streams that are used on one connection to FCM at most; 0 after it has ended.",
        "carillon_fcm_connection_answers_total": "Answers on one connection to FCM since it was opened.",
        "carillon_fcm_connection_limit_pushes_per_second":
            "Limit of a connection that FCM serves worse than others, in pushes a second; -1 if it is not limited.",
        "carillon_fcm_connection_window_bytes":
            "Bytes of bodies that FCM takes on one connection before it opens its window further; 0 after it has "
            + "ended.",
        "carillon_fcm_connection_round_trip_seconds":
            "Round-trip time of one connection to FCM by TCP, to the proxy if there is one; 0 until it is measured.",
        "carillon_fcm_connections_opened_total": "Connections to FCM that were opened.",
        "carillon_fcm_connection_failures_total": "Attempts to connect to FCM that failed, by cause.",
        "carillon_fcm_pool_outage_seconds":
            "Time since the first failed attempt to connect to FCM without a working connection; 0 if there is one.",
        "carillon_fcm_pool_unreachable": "1 if a pool has had no connection to FCM for 10 seconds: its messages wait.",
        "carillon_fcm_pool_parked":
            "1 if Google refuses the service account altogether: one push is tried again after a while.",
        "carillon_fcm_parked_apps": "Apps for which Google refuses the service account; their messages wait.",
        "carillon_fcm_access_token_remaining_seconds":
            "Time until the access token in use ends; the next is requested some minutes before.",
        "carillon_fcm_quota_messages_per_minute":
            "Pushes a minute that are sent for the project at most now: it grows with new traffic.",
        "carillon_web_attempts_total": "Pushes written to push services of browsers, by credential.",
        "carillon_web_answers_total": "Answers of push services by status and reason; 201 has none.",
        "carillon_web_answer_seconds":
            "Time from the hand-over of a push for a browser to the push service's answer.",
        "carillon_web_undecided_attempts_total": "Attempts at push services that did not end a delivery, by kind.",
        "carillon_web_in_flight": "Pushes that push services have not answered.",
        "carillon_web_connections": "Connections to push services by state: opening, open, draining.",
        "carillon_web_connection_in_flight": "Pushes of one connection that a push service has not answered.",
        "carillon_web_connection_streams":
            "Streams that are used on one connection to a push service at most; 0 after it has ended.",
        "carillon_web_connection_answers_total": "Answers on one connection to a push service since it was opened.",
        "carillon_web_connection_limit_pushes_per_second":
            "Limit of a connection that a push service serves worse than others, in pushes a second; -1 if it is not "
            + "limited.",
        "carillon_web_connection_window_bytes":
            "Bytes of bodies that a push service takes on one connection before it opens its window further.",
        "carillon_web_connection_round_trip_seconds":
            "Round-trip time of one connection to a push service by TCP; 0 until it is measured.",
        "carillon_web_connections_opened_total": "Connections to push services that were opened.",
        "carillon_web_connection_failures_total": "Attempts to connect to push services that failed, by cause.",
        "carillon_web_pool_outage_seconds":
            "Time since the first failed attempt to connect to push services without a working one; 0 if there is one.",
        "carillon_web_pool_unreachable":
            "1 if messages wait, and none of their push services could be reached for 10 seconds.",
        "carillon_web_pool_parked":
            "1 if push services refuse the VAPID key altogether: one push is tried again after a while.",
        "carillon_web_parked_apps": "Apps for which push services refuse the VAPID key; their messages wait.",
        "carillon_certificate_expiry_timestamp_seconds": "End of a certificate, in seconds since 1970.",
        "carillon_database_bytes": "Size of the database file, free pages in it included.",
        "carillon_database_map_bytes": "Size of the memory map: the limit, or more after an overdraft.",
        "carillon_database_limit_bytes": "The largest size of the database: data.limitMebibytes.",
        "carillon_database_free_bytes": "Free pages in the database file, in bytes.",
        "carillon_database_commits_total": "Commits since the database was created.",
        "carillon_database_readers": "Read transactions open now.",
        "carillon_database_reader_age_commits": "Commits since the oldest snapshot that is being read.",
        "carillon_metric_series_dropped_total": "Uses of series beyond the limit of a metric; these have no value.",
        "carillon_reloads_total": "SIGHUPs by result: ok or refused.",
        "carillon_reload_timestamp_seconds": "Time of the last successful SIGHUP.",
        "process_cpu_seconds_total": "Processor time, user and system.",
        "process_resident_memory_bytes": "Resident memory of the process.",
        "process_open_fds": "Open files and sockets.",
        "process_max_fds": "The limit of open files.",
        "process_start_time_seconds": "Start of the process, in seconds since 1970.",
    ]
}
