import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Asks the two sticky assignors of 2.8, as Ask.java asks those of later releases: a subscription told no generation then. */
public class AskConsumers {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ObjectNode said = JSON.createObjectNode();
            try {
                said.set("assignment", assigned(JSON.readTree(line)));
            } catch (RuntimeException thrown) {
                said.putObject("error").put("exception", thrown.getClass().getName()).put("message", thrown.getMessage());
            }
            out.println(JSON.writeValueAsString(said));
        }
        out.flush();
    }

    private static ConsumerPartitionAssignor assignor(JsonNode question) {
        return question.get("family").asText().equals("sticky") ? new StickyAssignor() : new CooperativeStickyAssignor();
    }

    private static ObjectNode assigned(JsonNode question) {
        Map<String, Subscription> members = new HashMap<>();
        for (JsonNode member : question.get("members")) {
            members.put(member.get("member_id").asText(), subscription(assignor(question), member));
        }
        ObjectNode given = JSON.createObjectNode();
        assignor(question).assign(cluster(question), new GroupSubscription(members)).groupAssignment().forEach((id, told) -> {
            ArrayNode list = given.putArray(id);
            told.partitions().forEach(one -> list.add(one.topic() + "-" + one.partition()));
        });
        return given;
    }

    /** As a consumer of the group would send it: who owned nothing in no generation sends nothing along. */
    private static Subscription subscription(ConsumerPartitionAssignor own, JsonNode member) {
        List<String> topics = new ArrayList<>();
        member.get("topics").forEach(topic -> topics.add(topic.asText()));
        List<TopicPartition> owned = new ArrayList<>();
        for (JsonNode one : member.path("owned_partitions")) {
            int at = one.asText().lastIndexOf('-');
            owned.add(new TopicPartition(one.asText().substring(0, at), Integer.parseInt(one.asText().substring(at + 1))));
        }
        if (member.path("owned_partitions").isArray()) {
            own.onAssignment(new Assignment(owned), new ConsumerGroupMetadata("group",
                member.path("generation").isInt() ? member.get("generation").asInt() : -1,
                member.get("member_id").asText(), Optional.empty()));
        }
        return new Subscription(topics, own.subscriptionUserData(new HashSet<>(topics)), owned);
    }

    private static Cluster cluster(JsonNode question) {
        Node[] broker = {new Node(0, "localhost", 9092)};
        List<PartitionInfo> partitions = new ArrayList<>();
        question.get("partitions_per_topic").fields().forEachRemaining(topic -> {
            for (int p = 0; p < topic.getValue().asInt(); p++) {
                partitions.add(new PartitionInfo(topic.getKey(), p, broker[0], broker, broker));
            }
        });
        return new Cluster("cluster", List.of(broker), partitions, Collections.emptySet(), Collections.emptySet());
    }
}
