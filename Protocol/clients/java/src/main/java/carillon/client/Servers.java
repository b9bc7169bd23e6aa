package carillon.client;

import carillon.client.session.Hello;
import carillon.client.session.Principal;
import carillon.client.session.Session;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Makes the public form of what a server has said in the handshake. */
final class Servers {
    private Servers() {
    }

    static ServerInfo info(Session<?> session) {
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
