package carillon.client;

import carillon.client.session.Hello;
import carillon.client.session.Principal;
import carillon.client.session.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What the server has said about itself, and the principal as which it knows the client (§6.1, §6.2).
 *
 * @param software name and version of the server
 * @param epoch changes when the server has another history (CONTRACT.md, ADR-9)
 * @param clock the server's time when it answered
 * @param frameLimit the longest payload of a request, in bytes
 * @param inFlightLimit requests outstanding on a connection
 * @param batchLimit items of a batch, devices of an audience
 * @param keepalive the silence after which a side pings
 * @param pingInterval the least time between two PINGs of the client
 * @param idempotencyWindow how long the server remembers a key
 * @param principal the name of the client; empty if its certificate has named it
 * @param grants what the principal may do; empty if its certificate has named it
 * @param node the name of the node of a cluster that the server is; empty if it belongs to none
 * @param cluster names the cluster; empty if there is none
 */
public record ServerInfo(
    String software, UUID epoch, Instant clock, long frameLimit, long inFlightLimit, long batchLimit,
    Duration keepalive, Duration pingInterval, Duration idempotencyWindow, Optional<String> principal,
    List<Grant> grants, Optional<String> node, Optional<UUID> cluster) {

    /** Returns what the server has said in the handshake of a session. */
    static ServerInfo of(Session<?> session) {
        Hello hello = session.hello();
        Principal principal = session.principal();
        List<Grant> grants = principal == null ? List.of()
            : principal.grants().stream().map(role -> new Grant(role.app(), role.roles())).toList();
        return new ServerInfo(hello.software(), hello.epoch(), Unsigned.instant(hello.clock()), hello.frameLimit(),
            hello.inFlightLimit(), hello.batchLimit(), Duration.ofMillis(hello.keepaliveMs()),
            Duration.ofMillis(hello.pingIntervalMs()), Duration.ofSeconds(hello.idempotencyWindowS()),
            Optional.ofNullable(principal).map(Principal::name), grants, Optional.ofNullable(hello.node()),
            Optional.ofNullable(hello.cluster()));
    }
}
