import carillon.client.Audience
import carillon.client.CarillonClient
import carillon.client.CarillonException
import carillon.client.DeviceReference
import carillon.client.Effect
import carillon.client.Message
import carillon.client.Outcome
import carillon.client.Registration
import carillon.client.Token
import java.time.Duration
import java.util.concurrent.CompletionException
import kotlin.system.exitProcess

/** Uses the client from Kotlin: futures that follow each other, an error, values that are absent. */
fun main() {
    val client = CarillonClient.fromEnvironment()
    try {
        val app = client.app()
        val token = Token.of(ByteArray(32) { it.toByte() })
        val finished = app.register(Registration.of(token).locale("de-AT"))
            .thenCompose { registered ->
                app.send(Audience.device(DeviceReference.id(registered.deviceId())), Message.of("Hello"))
            }
            .thenCompose { sent -> app.waitUntilFinished(sent.messageId(), Duration.ofSeconds(30)) }
            .join()
        val device = app.blocking().lookup(DeviceReference.token(token))
        check(device.locale().orElse(null) == "de-AT") { "locale ${device.locale()}" }
        println("delivered ${finished.outcomes().getValue(Outcome.DELIVERED)}")
        println(failureOf { app.lookup(DeviceReference.token(Token.of(ByteArray(32)))).join() })
        println(failureOf { app.blocking().lookup(DeviceReference.token(Token.of(ByteArray(32)))) })
    } finally {
        client.close()
    }
}

/** The error of a call, whether it comes out of a future or out of a method that waits. */
private fun failureOf(call: () -> Unit): String {
    try {
        call()
    } catch (error: CompletionException) {
        return description(error.cause as CarillonException)
    } catch (error: CarillonException) {
        return description(error)
    }
    System.err.println("there should be no such device")
    exitProcess(1)
}

private fun description(error: CarillonException): String {
    val executed = when (error.effect()) {
        Effect.NOT_EXECUTED -> "was not executed"
        Effect.EXECUTED -> "was executed"
        else -> "may have been executed" // UNKNOWN
    }
    return "${error.codeName()}: ${error.field().orElse("no field")}, $executed"
}
